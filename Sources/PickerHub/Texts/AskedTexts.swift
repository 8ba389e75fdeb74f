import CivilTime
import PickerModel

/// The texts of a language, for a client that requested another tag: `de` for `de-CH`. Notes are
/// chosen by the requested tag.
struct AskedTexts: RowTexts {
  let base: any RowTexts
  let noteTag: String

  var tag: String { base.tag }
  func year(_ year: Int) -> String { base.year(year) }
  func month(_ month: Int) -> String { base.month(month) }
  func day(_ day: Int) -> String { base.day(day) }
  func slotDay(_ date: CivilDate, isToday: Bool) -> String { base.slotDay(date, isToday: isToday) }
  func hour(_ hour: Int) -> String { base.hour(hour) }
  func minute(_ minute: Int) -> String { base.minute(minute) }
  func cell(_ day: Int) -> String { base.cell(day) }
  func monthTitle(_ month: CivilMonth) -> String { base.monthTitle(month) }
  func weekday(_ weekday: Int) -> String { base.weekday(weekday) }
  func time(_ minute: Int) -> String { base.time(minute) }
  var timeSeparator: String { base.timeSeparator }
}
