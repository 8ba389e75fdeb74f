import Foundation
import PickerClient

extension PickerState {
  /// The current date in the session's time zone; `nil` without a calendar.
  var today: PickerDay? {
    let cells = months.values.lazy.flatMap(\.cells)
    if let cell = cells.first(where: \.isToday) { return cell.day }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard let now, let instant = try? Date(now, strategy: style), let definition,
      let zone = TimeZone(identifier: definition.timeZone)
    else { return nil }
    let date = Date.ISO8601FormatStyle(timeZone: zone).year().month().day()
    return PickerDay(instant.formatted(date))
  }
}
