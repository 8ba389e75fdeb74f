import CLibPQ
import Foundation

/// The result of a statement, in binary format.
final class PostgresRows {
  private let result: OpaquePointer
  let count: Int

  /// - Parameter result: Released with this object.
  init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
  }

  deinit { PQclear(result) }

  /// An integer of any size; `nil` for NULL, as for a row that does not exist.
  func int(_ row: Int, _ column: Int) -> Int? {
    guard let bytes = bytes(row, column) else { return nil }
    let unsigned = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    switch bytes.count {
    case 2: return Int(Int16(truncatingIfNeeded: unsigned))
    case 4: return Int(Int32(truncatingIfNeeded: unsigned))
    default: return Int(Int64(bitPattern: unsigned))
    }
  }

  func text(_ row: Int, _ column: Int) -> String? {
    bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  func data(_ row: Int, _ column: Int) -> Data? { bytes(row, column).map { Data($0) } }

  func bool(_ row: Int, _ column: Int) -> Bool { bytes(row, column)?.first == 1 }

  private func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    // libpq writes a line to standard error for a row that does not exist.
    guard row < count else { return nil }
    let (row, column) = (Int32(row), Int32(column))
    guard PQgetisnull(result, row, column) == 0 else { return nil }
    return UnsafeRawBufferPointer(
      start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }
}

/// A row of a result.
struct PostgresRow: SQLRow {
  let rows: PostgresRows
  let row: Int

  func integer(_ column: Int) -> Int64? { rows.int(row, column).map { Int64($0) } }
  func bool(_ column: Int) -> Bool? { rows.text(row, column) == nil ? nil : rows.bool(row, column) }
  func text(_ column: Int) -> String? { rows.text(row, column) }
  func data(_ column: Int) -> Data? { rows.data(row, column) }
}
