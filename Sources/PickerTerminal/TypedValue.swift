import JSONText
import PickerClient

/// Whole values that a user types or a script writes.
extension PickerState {
  /// The value that a typed text means: a date, two dates, a time, or texts or keys of rows.
  ///
  /// - Returns: `nil` if it means none of this kind of picker.
  func value(typed text: String) -> PickerValue? {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    let value: PickerValue?
    switch valueForm {
    case .day: value = words.count == 1 ? PickerDay(words[0]).map { .day($0) } : nil
    case .days:
      let days = words.compactMap { PickerDay($0) }
      value = words.count == 2 && days.count == 2 ? .range(days[0], days[1]) : nil
    case .time:
      let time = words.joined(separator: "T")
      value = PickerValue.local(time).isValid ? .local(time) : .instant(time)
    case .keys:
      let texts = text.split(separator: ",", omittingEmptySubsequences: false)
        .map { String($0.drop(while: \.isWhitespace)).trimmed }
      value = .keys(texts.enumerated().map { key(ofText: $1, column: $0) })
    case nil: value = nil
    }
    return value.flatMap { $0.isValid ? $0 : nil }
  }

  /// The value in the fields that results of this kind of picker have; others are ignored.
  ///
  /// - Returns: `nil` without these fields, or with one that the server would not read.
  func value(of result: JSONTree?) -> PickerValue? {
    guard let result else { return nil }
    let value: PickerValue?
    switch valueForm {
    case .day: value = result["date"]?.string.flatMap { PickerDay($0) }.map { .day($0) }
    case .days:
      let days = ["start", "end"].compactMap { result[$0]?.string.flatMap { PickerDay($0) } }
      value = days.count == 2 ? .range(days[0], days[1]) : nil
    case .time:
      value =
        result["instant"].map { $0.string.map { .instant($0) } }
        ?? result["local"]?.string.map { .local($0) }
    case .keys:
      let keys = result["keys"]?.array
      let texts = keys?.compactMap(\.string)
      value = texts?.count == keys?.count ? texts.map { .keys($0) } : nil
    case nil: value = nil
    }
    return value.flatMap { $0.isValid ? $0 : nil }
  }

  /// An example of a typed value; `nil` if this kind of picker has none.
  var valueExample: String? {
    switch valueForm {
    case .day: "2026-11-20"
    case .days: "2026-11-20 2026-11-24"
    case .time: "2026-12-03 14:20"
    case .keys: "a row's text for each column, with commas between them"
    case nil: nil
    }
  }

  private enum ValueForm { case day, days, time, keys }

  private var valueForm: ValueForm? {
    switch definition?.kind {
    case "date": .day
    case "slot": .time
    case "cascade", "columns": .keys
    case "calendar": definition?.isSingle == true ? .day : .days
    default: nil
    }
  }

  /// The key of the loaded row with a text. Rows below another row are not loaded, so that a text
  /// that no row has is a key.
  private func key(ofText text: String, column: Int) -> String {
    guard columns.indices.contains(column) else { return text }
    return columns[column].rowsKnown.first { $0.row.text == text }?.row.key ?? text
  }
}
