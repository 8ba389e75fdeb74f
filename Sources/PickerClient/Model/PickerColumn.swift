import JSONText

/// A row of a column. Its key is stable and the same for all members; its text is in this member's
/// language.
public struct PickerRow: Sendable {
  public let key: String
  public let text: String
  /// The host's note on the row.
  public internal(set) var note: PickerNote?
  /// What the session sees of the row's key in an inventory; `nil` where there is nothing to say.
  public internal(set) var level: PickerLevel?

  public init(key: String, text: String, note: PickerNote? = nil, level: PickerLevel? = nil) {
    self.key = key
    self.text = text
    self.note = note
    self.level = level
  }
}

/// Keys and texts are compared by their UTF-8 bytes: a key with "é" as one scalar and one with "e"
/// and a combining accent are two keys.
extension PickerRow: Hashable {
  public static func == (left: PickerRow, right: PickerRow) -> Bool {
    left.key.isExactly(right.key) && left.text.isExactly(right.text) && left.note == right.note
      && left.level == right.level
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactString(key))
    hasher.combine(ExactString(text))
    hasher.combine(note)
  }
}

/// A column, with the rows that this client has loaded.
///
/// A long column is loaded in windows around the selected row. Other rows are loaded by
/// ``PickerConnection/rows(_:of:)``:
///
/// ```swift
/// let column = picker.state.columns[0]
/// for index in 0..<column.count {
///   print(column[index]?.text ?? "…", index == column.shownRow ? "selected" : "")
/// }
/// ```
public struct PickerColumn: Hashable, Sendable {
  /// Counts the changes of the column's list of rows.
  public internal(set) var generation: Int
  /// The number of rows, including those that are not loaded.
  public internal(set) var count: Int
  /// The selected row that the server has confirmed; `nil` in an empty column.
  public internal(set) var row: Int?
  /// The row to display as selected: ``row``, or that of a pending select of this member.
  public internal(set) var shownRow: Int?
  var rows: [Int: PickerRow]
  /// The rows that were received only as a selection, without their notes. They count as not
  /// loaded.
  package internal(set) var withoutNotes: Set<Int> = []
  /// The rows before a reload, until the selection has moved: a correction can refer to one of
  /// them.
  var before: Before?

  struct Before: Hashable, Sendable {
    var selected: PickerRow?
    var rows: [Int: PickerRow]
  }

  /// The row at `index`; `nil` if it is not loaded.
  public subscript(index: Int) -> PickerRow? { rows[index] }
  /// The selected row that the server has confirmed; `nil` if there is none or it is not loaded.
  public var selected: PickerRow? { row.flatMap { rows[$0] } }
  /// The row to display as selected; `nil` if there is none or it is not loaded.
  public var shown: PickerRow? { shownRow.flatMap { rows[$0] } }

  /// The index of the loaded row with a key; `nil` if there is none.
  public func row(ofKey key: String) -> Int? { rows.first { $0.value.key.isExactly(key) }?.key }

  /// The windows that must be loaded for the rows `wanted`.
  ///
  /// - Parameter window: The number of rows in a window. Windows start at its multiples.
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

  /// Stores the row to which the selection has moved. Such a change has neither note nor level: a
  /// loaded row retains them, and another one still counts as not loaded.
  mutating func put(moved row: PickerRow, at index: Int) {
    if let known = rows[index], known.key.isExactly(row.key) {
      rows[index] = PickerRow(
        key: row.key, text: row.text, note: known.note, level: known.level)
    } else {
      rows[index] = row
      withoutNotes.insert(index)
    }
  }

  /// The text of the row with a key, now or before the last reload; the key itself if no such row
  /// is loaded.
  func text(ofKey key: String) -> String {
    for rows in [rows, before?.rows ?? [:]] {
      if let row = rows.values.first(where: { $0.key.isExactly(key) }) { return row.text }
    }
    return key
  }
}

extension PickerColumn {
  /// The loaded rows in order.
  public var rowsKnown: [(index: Int, row: PickerRow)] {
    rows.sorted { $0.key < $1.key }.map { (index: $0.key, row: $0.value) }
  }
}
