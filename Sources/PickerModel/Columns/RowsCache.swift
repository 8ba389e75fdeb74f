package import JSONText

/// A cache of encoded row lists, because columns are often reloaded with the same rows: the days of
/// a month, or the children of a node.
///
/// Direct-mapped with a fixed number of entries of at most ``byteCountMax`` bytes: a list replaces
/// the one with the same slot. Entries do not retain definitions.
package struct RowsCache {
  private struct Written {
    let rows: Rows
    let range: Range<Int>
    let tag: String
    let bytes: [UInt8]
  }

  /// Identifies a list of rows without retaining its definition.
  private enum Rows {
    case numbers(ColumnRows)
    case nodes(of: AnyObject, list: Int)
  }

  private var written: [Written?]
  /// Shorter lists are faster to encode than to look up.
  private static let rowCountMin = 4
  private static let byteCountMax = 32_768

  /// - Parameter count: The number of entries: a power of two, or 0 for a cache that stores
  ///   nothing.
  package init(count: Int) { written = Array(repeating: nil, count: count) }

  /// Writes the same bytes as ``JSONWriter/rows(_:_:_:texts:)`` without notes.
  package mutating func write(
    _ rows: ColumnRows, _ range: Range<Int>, texts: any RowTexts, to writer: inout JSONWriter
  ) {
    guard range.count >= RowsCache.rowCountMin, !written.isEmpty else {
      return writer.rows(rows, range, texts: texts)
    }
    let tag = texts.tag
    let slot = slot(of: rows, range)
    if let known = written[slot], known.range == range, known.tag == tag,
      RowsCache.isSame(known.rows, rows)
    {
      return writer.raw(known.bytes)
    }
    let start = writer.count
    writer.rows(rows, range, texts: texts)
    guard writer.count - start <= RowsCache.byteCountMax else { return }
    let bytes = Array(UnsafeRawBufferPointer(rebasing: writer.rawBytes[start...]))
    written[slot] = Written(
      rows: RowsCache.identity(of: rows), range: range, tag: tag, bytes: bytes)
  }

  private func slot(of rows: ColumnRows, _ range: Range<Int>) -> Int {
    let number =
      switch rows {
      case .empty: 0
      case .years(let run), .months(let run), .days(let run): run.lowerBound &+ 5 &* run.upperBound
      case .slotDays(let days): days.count == 0 ? 0 : days.date(at: 0).ordinal
      case .hours(let numbers), .minutes(let numbers): numbers.hashValue
      case .nodes(let siblings): siblings.listNumber
      }
    return (number &+ range.lowerBound) & (written.count - 1)
  }

  private static func identity(of rows: ColumnRows) -> Rows {
    guard case .nodes(let siblings) = rows else { return .numbers(rows) }
    return .nodes(of: siblings.identity, list: siblings.listNumber)
  }

  private static func isSame(_ known: Rows, _ rows: ColumnRows) -> Bool {
    switch (known, rows) {
    case (.nodes(let identity, let list), .nodes(let siblings)):
      identity === siblings.identity && list == siblings.listNumber
    case (.numbers(let known), _): known == rows
    case (.nodes, _): false
    }
  }
}
