/// Writes JSON text into a buffer that grows, octet by octet, without a tree in between.
///
/// The caller writes brackets and commas with ``literal(_:)``; strings are escaped, numbers written
/// exactly. What has been written is in ``octets``; ``clear()`` keeps the room for the next text.
package struct JSONWriter {
  package private(set) var octets: [UInt8] = []

  package init(capacity: Int = 256) { octets.reserveCapacity(capacity) }

  package mutating func clear() { octets.removeAll(keepingCapacity: true) }

  /// Writes JSON syntax as it stands.
  @inline(__always)
  package mutating func literal(_ text: StaticString) {
    octets.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes octets that are JSON text already.
  package mutating func raw(_ text: some Sequence<UInt8>) { octets.append(contentsOf: text) }

  /// Writes a string with its quotes.
  package mutating func string(_ value: String) {
    octets.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { append(escaping: $0) }
    octets.append(UInt8(ascii: "\""))
  }

  package mutating func integer(_ value: Int) {
    if value >= 0 && value < 10 {
      octets.append(UInt8(ascii: "0") + UInt8(value))
      return
    }
    if value < 0 { octets.append(UInt8(ascii: "-")) }
    let start = octets.count
    var rest = value.magnitude
    repeat {
      octets.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    octets[start...].reverse()
  }

  package mutating func bool(_ value: Bool) { value ? literal("true") : literal("false") }

  package mutating func tree(_ tree: JSONTree) {
    switch tree {
    case .null: literal("null")
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .number(let value): octets.append(contentsOf: "\(value)".utf8)
    case .string(let value): string(value)
    case .array(let elements):
      literal("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { literal(",") }
        self.tree(element)
      }
      literal("]")
    case .object(let members):
      literal("{")
      for (index, member) in members.enumerated() {
        if index > 0 { literal(",") }
        string(member.key)
        literal(":")
        self.tree(member.value)
      }
      literal("}")
    }
  }

  private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
    var start = 0
    for index in 0..<text.count {
      let octet = text[index]
      guard octet < 0x20 || octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") else {
        continue
      }
      octets.append(contentsOf: text[start..<index])
      appendEscape(octet)
      start = index + 1
    }
    octets.append(contentsOf: text[start..<text.count])
  }

  private mutating func appendEscape(_ octet: UInt8) {
    switch octet {
    case UInt8(ascii: "\""): literal("\\\"")
    case UInt8(ascii: "\\"): literal("\\\\")
    case 0x0A: literal("\\n")
    case 0x0D: literal("\\r")
    case 0x09: literal("\\t")
    default:
      literal("\\u00")
      octets.append(octet >> 4 + UInt8(ascii: "0"))
      let low = octet & 0xF
      octets.append(low < 10 ? low + UInt8(ascii: "0") : low - 10 + UInt8(ascii: "a"))
    }
  }
}

extension JSONTree {
  /// The value as JSON text without white space.
  package func serialized() -> [UInt8] {
    var writer = JSONWriter()
    writer.tree(self)
    return writer.octets
  }
}
