import CivilTime
import PickerSession
import PickerWire

/// The `months` messages that follow a change of cells: each month is compared once, and encoded
/// once for each language, however many listeners display it.
struct MonthCopies {
  private struct Part: Hashable {
    let month: CivilMonth
    let language: Int
  }

  private let change: CellChange
  private let locale: String
  private let encoder: MessageEncoder
  private let languages: Languages
  private var isChanged: [CivilMonth: Bool] = [:]
  private var parts: [Part: [UInt8]] = [:]
  private var last: (language: Int, view: MonthView, frame: Frame)?
  /// About 2 KiB each. Further parts are encoded for each message.
  private static let partCountMax = 4096

  init(
    _ change: CellChange, locale: String, _ encoder: MessageEncoder, _ languages: Languages
  ) {
    self.change = change
    self.locale = locale
    self.encoder = encoder
    self.languages = languages
  }

  /// The message for a listener.
  ///
  /// - Returns: `nil` if no cell of the months in `view` has changed.
  mutating func frame(in language: Int, showing view: MonthView) -> Frame? {
    let texts = change.notes.days.isEmpty ? languages.withoutRegion(language) : language
    if let last, last.language == texts, last.view == view { return last.frame }
    let months = view.months
    var needsFrame = false
    for month in months where hasChanged(month) { needsFrame = true }
    guard needsFrame else { return nil }
    var written: [[UInt8]] = []
    for month in months {
      if let part = part(Part(month: month, language: texts)) { written.append(part) }
    }
    let frame = encoder.months(written, revision: change.revision)
    last = (texts, view, frame)
    return frame
  }

  private mutating func hasChanged(_ month: CivilMonth) -> Bool {
    if let known = isChanged[month] { return known }
    let hasChanged = change.after.cells(of: month) != change.before.cells(of: month)
    isChanged[month] = hasChanged
    return hasChanged
  }

  /// A month, encoded; `nil` if it is outside the calendar's list.
  private mutating func part(_ part: Part) -> [UInt8]? {
    if let known = parts[part] { return known }
    let encoded = encoder.month(
      part.month, of: change.after, change.notes, locale: locale, texts: languages[part.language])
    if let encoded, parts.count < MonthCopies.partCountMax { parts[part] = encoded }
    return encoded
  }
}
