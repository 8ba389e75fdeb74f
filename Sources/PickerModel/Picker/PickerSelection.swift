package import CivilTime
package import JSONText

/// A picker's selection, which undo and redo restore.
package enum PickerSelection: Sendable {
  /// The selected keys in column order; empty columns have none. `goalDay` is set only for a `date`
  /// with `rememberDay`: the day of the month, 1 … 31, that was last selected in the day column.
  case keys([String], goalDay: Int? = nil)
  /// A calendar's range with the last tap on it; `nil` if none is selected.
  case range(DateRange?, RangeTap? = nil)
}

/// Keys are compared by their UTF-8 bytes.
extension PickerSelection: Hashable {
  package static func == (left: PickerSelection, right: PickerSelection) -> Bool {
    switch (left, right) {
    case (.keys(let left, let leftGoal), .keys(let right, let rightGoal)):
      left.isExactly(right) && leftGoal == rightGoal
    case (.range(let left, let leftTap), .range(let right, let rightTap)):
      left == right && leftTap == rightTap
    case (.keys, _), (.range, _): false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .keys(let keys, _): hasher.combine(keys.map(ExactString.init))
    case .range(let range, _): hasher.combine(range)
    }
  }
}

extension PickerSelection {
  /// The selected keys; empty for a range.
  var keys: [String] { if case .keys(let keys, _) = self { keys } else { [] } }
  /// The goal day of a `date` with `rememberDay`.
  var goalDay: Int? { if case .keys(_, let goalDay) = self { goalDay } else { nil } }
  /// The range; `nil` for keys.
  var range: DateRange? { if case .range(let range, _) = self { range } else { nil } }
  /// The last tap on the range.
  var tap: RangeTap? { if case .range(_, let tap) = self { tap } else { nil } }
}

extension PickerSelection {
  package var tree: JSONTree {
    switch self {
    case .keys(let keys, let goalDay):
      .object(
        [.init("keys", .array(keys.map(JSONTree.string)))]
          + (goalDay.map { [.init("goalDay", .integer($0))] } ?? []))
    case .range(let range, let tap):
      .object([.init("range", range?.tree ?? .null)] + (tap.map { [.init("tap", $0.tree)] } ?? []))
    }
  }

  /// Reads what ``tree`` wrote; `nil` for anything else.
  package init?(tree: JSONTree) {
    if let keys = tree["keys"]?.array {
      let texts = keys.compactMap(\.string)
      let goalDay = tree["goalDay"]?.integer
      guard texts.count == keys.count, goalDay.map((1...31).contains) ?? true else { return nil }
      self = .keys(texts, goalDay: goalDay)
    } else if let range = tree["range"] {
      if case .null = range {
        self = .range(nil)
      } else {
        let tap = tree["tap"].map(RangeTap.init(tree:))
        guard let range = DateRange(tree: range), tap != .some(nil) else { return nil }
        self = .range(range, tap ?? nil)
      }
    } else {
      return nil
    }
  }
}

extension DateRange {
  fileprivate var tree: JSONTree {
    .object(
      [
        .init("start", .string(start.iso)), .init("end", .string(end.iso)),
        .init("hits", .integer(hits)), .init("single", .bool(isSingle)),
      ] + (isStay ? [.init("nights", .bool(true))] : []))
  }

  fileprivate init?(tree: JSONTree) {
    guard let start = tree.date("start"), let end = tree.date("end"), start <= end,
      let hits = tree["hits"]?.integer, hits >= 1, let isSingle = tree["single"]?.bool
    else { return nil }
    let isStay = tree["nights"]?.bool ?? false
    self.init(start: start, end: end, hits: hits, isSingle: isSingle, isStay: isStay)
  }
}
