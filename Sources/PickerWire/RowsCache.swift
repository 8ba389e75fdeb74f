import JSONText
import PickerModel

/// Lists of rows as they were written last, so that a column which is reloaded again and again, the
/// days of a month or the children of a node, is not written again and again.
///
/// Has room for a few lists, which push each other out. None keeps a definition in memory.
struct RowsCache {
  private struct Written {
    let rows: Rows
    let range: Range<Int>
    let tag: String
    let bytes: [UInt8]
  }

  /// What the rows are, without keeping a definition in memory.
  private enum Rows {
    case numbers(ColumnRows)
    case nodes(of: AnyObject, list: Int)
  }

  private var written: [Written?]
  /// Lists that are shorter are written faster than found.
  private static let rowCountMin = 4
  private static let byteCountMax = 32_768

  /// - Parameter count: Lists that have room; a power of two, or 0 for what is written once.
  init(count: Int) { written = Array(repeating: nil, count: count) }

  /// Writes rows as ``JSONWriter/rows(_:_:texts:)`` does.
  mutating func write(
    _ rows: ColumnRows, _ range: Range<Int>, texts: any RowTexts, to writer: inout JSONWriter
  ) {
    guard range.count >= RowsCache.rowCountMin, !written.isEmpty else {
      return writer.rows(rows, range, texts: texts)
    }
    let tag = texts.tag
    let place = place(of: rows, range)
    if let known = written[place], known.range == range, known.tag == tag,
      RowsCache.isSame(known.rows, rows)
    {
      return writer.raw(known.bytes)
    }
    let start = writer.count
    writer.rows(rows, range, texts: texts)
    guard writer.count - start <= RowsCache.byteCountMax else { return }
    let bytes = Array(UnsafeRawBufferPointer(rebasing: writer.rawBytes[start...]))
    written[place] = Written(
      rows: RowsCache.kept(rows), range: range, tag: tag, bytes: bytes)
  }

  private func place(of rows: ColumnRows, _ range: Range<Int>) -> Int {
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

  private static func kept(_ rows: ColumnRows) -> Rows {
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
