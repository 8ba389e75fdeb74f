import CLibPQ
import Foundation

/// A parameter of a statement, in PostgreSQL's binary format.
/// - Source: postgresql.org/docs/15/protocol-overview.html; array_recv in arrayfuncs.c.
struct PostgresValue: Sendable {
  let type: Oid
  /// `nil`: NULL.
  let bytes: [UInt8]?

  static func int(_ value: Int?) -> PostgresValue { int(value.map { Int64($0) }) }

  static func int(_ value: Int64?) -> PostgresValue {
    PostgresValue(type: 20, bytes: value.map(bigEndian))
  }

  static func text(_ value: String?) -> PostgresValue {
    PostgresValue(type: 25, bytes: value.map { Array($0.utf8) })
  }

  static func bytes(_ value: Data?) -> PostgresValue {
    PostgresValue(type: 17, bytes: value.map { [UInt8]($0) })
  }

  static func bool(_ value: Bool) -> PostgresValue {
    PostgresValue(type: 16, bytes: [value ? 1 : 0])
  }

  static func ints(_ values: [Int]) -> PostgresValue {
    array(1016, of: 20, byteCount: 8 * values.count, values) { value, bytes in
      append(Int32(8), to: &bytes)
      append(Int64(value), to: &bytes)
    }
  }

  static func texts(_ values: [String]) -> PostgresValue {
    let byteCount = values.reduce(0) { $0 + $1.utf8.count }
    return array(1009, of: 25, byteCount: byteCount, values) { value, bytes in
      append(Int32(value.utf8.count), to: &bytes)
      bytes += value.utf8
    }
  }

  static func blobs(_ values: [Data]) -> PostgresValue {
    let byteCount = values.reduce(0) { $0 + $1.count }
    return array(1001, of: 17, byteCount: byteCount, values) { value, bytes in
      append(Int32(value.count), to: &bytes)
      bytes += value
    }
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
