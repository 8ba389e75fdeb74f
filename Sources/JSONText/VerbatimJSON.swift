/// A JSON value as it was written, but for the white space between its tokens.
///
/// Numbers retain all their digits and members their order, so that a value that pickerd only
/// stores and sends back is the one that was given. It has no line breaks.
package struct VerbatimJSON: Hashable, Sendable {
  package let text: String

  /// - Parameter text: What ``text`` of another value has been.
  package init(stored text: String) { self.text = text }

  /// The value of a member of a JSON object.
  ///
  /// - Parameters:
  ///   - name: The name of the member. Of several, the first counts.
  ///   - object: The JSON text of the object.
  /// - Returns: `nil` if there is no such member.
  /// - Throws: ``JSONError`` for what is no JSON object, as far as it is read.
  package init?(
    member name: String, of object: [UInt8], depthMax: Int = 128
  ) throws(JSONError) {
    let text = object.span
    var cursor = JSONCursor(depthMax: depthMax)
    guard try cursor.nextKind(text) == .object else { throw cursor.failure("no JSON object") }
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
