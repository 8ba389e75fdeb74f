import CivilTime
import JSONText

/// What a member does to a calendar.
package enum CalendarAction: Hashable, Sendable {
  case tap(TapTarget)

  var type: String { "tap" }
}

extension TapTarget {
  init(_ fields: inout MessageFields, _ text: Span<UInt8>) throws(BadMessage) {
    if fields[.date] != nil {
      self = .date(try fields.date(.date, text))
      return
    }
    guard fields[.month] != nil else {
      throw BadMessage("a tap needs a date, or a month with a cell, or a month with x and y")
    }
    let month = try fields.month(.month, text)
    if fields[.cell] != nil {
      self = .cell(month, try fields.integer(.cell))
    } else {
      self = .point(month, x: try fields.fraction(.x), y: try fields.fraction(.y))
    }
  }
}

extension JSONWriter {
  /// The fields of a tap, each after a comma.
  mutating func target(_ target: TapTarget) {
    switch target {
    case .date(let date):
      literal(",\"date\":", date.iso)
    case .cell(let month, let cell):
      literal(",\"month\":\"")
      raw(month.iso)
      literal("\",\"cell\":", cell)
    case .point(let month, let x, let y):
      literal(",\"month\":\"")
      raw(month.iso)
      literal("\",\"x\":", .number(x))
      literal(",\"y\":", .number(y))
    }
  }
}

extension PickerAction {
  package static func tap(_ target: TapTarget) -> PickerAction { .calendar(.tap(target)) }
}

extension CalendarAction {
  /// See ``PickerAction/words``.
  var words: String {
    switch self {
    case .tap(.date(let date)): "tap \(date.iso)"
    case .tap(.cell(let month, let cell)): "tap \(month.iso) cell \(cell)"
    case .tap(.point(let month, let x, let y)): "tap \(month.iso) at \(x), \(y)"
    }
  }
}
