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
    array(1016, of: 20, values.map { bigEndian(Int64($0)) })
  }

  static func texts(_ values: [String]) -> PostgresValue {
    array(1009, of: 25, values.map { Array($0.utf8) })
  }

  static func blobs(_ values: [Data]) -> PostgresValue {
    array(1001, of: 17, values.map { [UInt8]($0) })
  }

  private static func array(_ type: Oid, of element: Oid, _ values: [[UInt8]]) -> PostgresValue {
    // Dimension count, NULL flag, element type; then each dimension's size and lower bound.
    var bytes = bigEndian(Int32(values.isEmpty ? 0 : 1)) + bigEndian(Int32(0)) + bigEndian(element)
    if !values.isEmpty { bytes += bigEndian(Int32(values.count)) + bigEndian(Int32(1)) }
    bytes.reserveCapacity(bytes.count + values.reduce(0) { $0 + $1.count + 4 })
    for value in values {
      bytes += bigEndian(Int32(value.count))
      bytes += value
    }
    return PostgresValue(type: type, bytes: bytes)
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
