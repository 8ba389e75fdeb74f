import CLibPQ
import Foundation

/// A parameter of a statement, in PostgreSQL's binary format.
/// - Source: postgresql.org/docs/15/protocol-overview.html; array_recv in arrayfuncs.c.
struct PostgresValue: Sendable {
  let type: Oid
  /// `nil`: NULL.
  let bytes: [UInt8]?

  /// - Parameter parameter: `nil`: NULL, whose type follows from the statement.
  init(_ parameter: SQLParameter?) {
    switch parameter {
    case nil: self.init(type: 0, bytes: nil)
    case .integer(let value): self.init(type: 20, bytes: PostgresValue.bigEndian(value))
    case .bool(let value): self.init(type: 16, bytes: [value ? 1 : 0])
    case .text(let text): self.init(type: 25, bytes: Array(text.utf8))
    case .blob(let data): self.init(type: 17, bytes: [UInt8](data))
    case .texts(let texts):
      let byteCount = texts.reduce(0) { $0 + $1.utf8.count }
      self = .array(1009, of: 25, byteCount: byteCount, texts) { text, bytes in
        PostgresValue.append(Int32(text.utf8.count), to: &bytes)
        bytes += text.utf8
      }
    case .integers(let values):
      self = .array(1016, of: 20, byteCount: 8 * values.count, values) { value, bytes in
        PostgresValue.append(Int32(8), to: &bytes)
        PostgresValue.append(value, to: &bytes)
      }
    }
  }

  private init(type: Oid, bytes: [UInt8]?) {
    self.type = type
    self.bytes = bytes
  }

  /// - Parameters:
  ///   - byteCount: The size of the elements.
  ///   - append: Appends the size of an element and the element.
  private static func array<Element>(
    _ type: Oid, of element: Oid, byteCount: Int, _ values: [Element],
    append: (Element, inout [UInt8]) -> Void
  ) -> PostgresValue {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + 4 * values.count + byteCount)
    // Dimension count, NULL flag, element type; then each dimension's size and lower bound.
    PostgresValue.append(Int32(values.isEmpty ? 0 : 1), to: &bytes)
    PostgresValue.append(Int32(0), to: &bytes)
    PostgresValue.append(element, to: &bytes)
    if !values.isEmpty {
      PostgresValue.append(Int32(values.count), to: &bytes)
      PostgresValue.append(Int32(1), to: &bytes)
    }
    for value in values { append(value, &bytes) }
    return PostgresValue(type: type, bytes: bytes)
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}

/// A statement with its parameters. `sql` must be one of a fixed set of texts, because a connection
/// prepares each text once and caches it.
struct PostgresStatement: Sendable {
  let sql: String
  let parameters: [PostgresValue]

  init(_ sql: String, _ parameters: [PostgresValue] = []) {
    self.sql = sql
    self.parameters = parameters
  }
}
