/// The text of a JSON value as it was received, without white space between its tokens.
///
/// For values that pickerd stores and sends back without using them: numbers retain all digits, and
/// objects the order of their members. The text contains no line breaks.
package struct VerbatimJSON: Hashable, Sendable {
  package let text: String

  /// Restores a stored value.
  ///
  /// - Parameter text: The ``text`` of the value that was stored. It is not checked.
  package init(stored text: String) { self.text = text }

  /// A value that was parsed: its numbers have the digits that the parser retained.
  package init(_ tree: JSONTree) {
    text = String(decoding: tree.serialized(), as: UTF8.self)
  }

  /// The value of a member of a JSON object.
  ///
  /// - Parameters:
  ///   - name: The name of the member. If several members have it, the first one is read.
  ///   - object: The JSON text of the object.
  /// - Returns: `nil` if there is no such member.
  /// - Throws: ``JSONError`` if the text is not a JSON object. The text after the member is not
  ///   checked.
  package init?(
    member name: String, of object: [UInt8], depthMax: Int = 128
  ) throws(JSONError) {
    let text = object.span
    var cursor = JSONCursor(depthMax: depthMax)
    guard try cursor.nextKind(text) == .object else { throw cursor.failure("not an object") }
    guard try cursor.open(UInt8(ascii: "{"), text) else { return nil }
    repeat {
      let isMeant = try cursor.readName(text).isExactly(name)
      cursor.skipWhitespace(text)
      let start = cursor.offset
      try cursor.skipValue(text)
      if isMeant {
        self.text = VerbatimJSON.compact(object[start..<cursor.offset])
        return
      }
    } while try cursor.another(UInt8(ascii: "{"), text)
    return nil
  }

  /// Whether both are the same JSON value, see ``JSONTree/isSameValue(as:)``.
  package func isSameValue(as other: VerbatimJSON) -> Bool {
    if text.isExactly(other.text) { return true }
    guard let left = try? JSONTree.parse(Array(text.utf8), depthMax: 128),
      let right = try? JSONTree.parse(Array(other.text.utf8), depthMax: 128)
    else { return false }
    return left.isSameValue(as: right)
  }

  /// Valid JSON text without the white space between its tokens.
  private static func compact(_ text: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var isInString = false
    var isEscaped = false
    for byte in text {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if [0x20, 0x0A, 0x0D, 0x09].contains(byte) {
        continue
      }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  package mutating func verbatim(_ value: VerbatimJSON) { raw(value.text) }
}
