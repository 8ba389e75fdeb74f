import JSONText
import PickerHub

/// A decoded JSON Web Token; its signature is not verified yet.
///
/// - Source: RFC 7515, section 7.1; RFC 8725.
struct SignedToken {
  let algorithm: String
  let keyID: String
  /// The signed bytes: header and payload as received.
  let content: [UInt8]
  let payload: [UInt8]
  let signature: [UInt8]

  static let byteCountMax = 8192

  /// - Throws: ``TokenProblem`` if the text is not a token, or its header lacks a required field or
  ///   has `crit`.
  init(_ text: String) throws(TokenProblem) {
    let bytes = Array(text.utf8.prefix(SignedToken.byteCountMax + 1))
    guard bytes.count <= SignedToken.byteCountMax else {
      throw TokenProblem("the token has more than \(SignedToken.byteCountMax) bytes")
    }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]),
      let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
      let fields = try? JSONTree.claims(header), fields["crit"] == nil,
      let algorithm = fields["alg"]?.string, let keyID = fields["kid"]?.string
    else { throw .notSigned }
    self.algorithm = algorithm
    self.keyID = keyID
    self.payload = payload
    self.signature = signature
    content = Array(bytes.prefix(parts[0].count + 1 + parts[1].count))
  }
}

extension JSONTree {
  /// Parses a JSON object in UTF-8, with at most as many levels as the body of a request.
  ///
  /// - Throws: ``JSONError`` for anything else, and if an object has two members of the same name.
  static func claims(_ bytes: [UInt8]) throws(JSONError) -> JSONTree {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw JSONError(offset: 0, reason: "not UTF-8")
    }
    let tree = try JSONTree.parse(bytes, depthMax: 128)
    guard tree.members != nil else { throw JSONError(offset: 0, reason: "not an object") }
    return tree
  }
}
