import JSONText

/// A row of a column: its key is stable, its text is in this member's own language.
public struct PickerRow: Sendable {
  public let key: String
  public let text: String
  /// What the host noted on the row, if anything.
  public internal(set) var note: PickerNote?

  public init(key: String, text: String, note: PickerNote? = nil) {
    self.key = key
    self.text = text
    self.note = note
  }
}

/// Keys and texts are compared by their UTF-8 bytes: a key with "é" as one scalar and one with "e"
/// and a combining accent are two keys.
extension PickerRow: Hashable {
  public static func == (left: PickerRow, right: PickerRow) -> Bool {
    left.key.isExactly(right.key) && left.text.isExactly(right.text) && left.note == right.note
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactString(key))
    hasher.combine(ExactString(text))
    hasher.combine(note)
  }
}

/// One column, as far as this client knows it: a window of its rows, by index.
public struct PickerColumn: Hashable, Sendable {
  /// One more whenever the column's list of rows changes.
  public internal(set) var generation: Int
  /// All rows, known here or not.
  public internal(set) var count: Int
  /// The selected row by the server's last word; `nil` in an empty column.
  public internal(set) var row: Int?
  /// The row to show: ``row`` with this member's own unanswered selects on top.
  public internal(set) var shownRow: Int?
  var rows: [Int: PickerRow]
  /// Rows that are known from a selection only, so that nobody knows whether they have a note.
  var withoutNotes: Set<Int> = []
  /// After a reload, until its move: what was there before, because a correction speaks of it.
  var before: Before?

  struct Before: Hashable, Sendable {
    var selected: PickerRow?
    var rows: [Int: PickerRow]
  }

  /// The row at `index`; `nil` if it is not known here yet, see ``PickerConnection/rows(_:of:)``.
  public subscript(index: Int) -> PickerRow? { rows[index] }
  /// The selected row by the server's last word.
  public var selected: PickerRow? { row.flatMap { rows[$0] } }
  /// The row to show as selected.
  public var shown: PickerRow? { shownRow.flatMap { rows[$0] } }

  /// The index of a key among the rows that are known here.
  public func row(ofKey key: String) -> Int? { rows.first { $0.value.key.isExactly(key) }?.key }

  /// The stretches of `wanted` that are not known, in whole windows.
  ///
  /// - Parameter window: Rows in a window; windows begin at its multiples.
  func missing(_ wanted: ClosedRange<Int>, window: Int) -> [Range<Int>] {
    var windows: [Range<Int>] = []
    var index = max(0, wanted.lowerBound)
    while index <= min(wanted.upperBound, count - 1) {
      guard rows[index] == nil || withoutNotes.contains(index) else {
        index += 1
        continue
      }
      let start = index / window * window
      windows.append(start..<min(start + window, count))
      index = start + window
    }
    return windows
  }

  mutating func put(_ new: [PickerRow], from: Int) {
    for (offset, row) in new.enumerated() {
      rows[from + offset] = row
      withoutNotes.remove(from + offset)
    }
  }

  /// Takes the row to which the selection has moved. Such a change has no note: that of a row that
  /// is known stays, and a row that is not is still missing.
  mutating func put(moved row: PickerRow, at index: Int) {
    if let known = rows[index], known.key.isExactly(row.key) {
      rows[index] = PickerRow(key: row.key, text: row.text, note: known.note)
    } else {
      rows[index] = row
      withoutNotes.insert(index)
    }
  }

  /// What a key says, now or before the last reload; the key itself if neither knows it.
  func text(ofKey key: String) -> String {
    for rows in [rows, before?.rows ?? [:]] {
      if let row = rows.values.first(where: { $0.key.isExactly(key) }) { return row.text }
    }
    return key
  }
}

extension PickerColumn {
  /// The rows that are known here, in their order.
  public var rowsKnown: [(index: Int, row: PickerRow)] {
    rows.sorted { $0.key < $1.key }.map { (index: $0.key, row: $0.value) }
  }
}
