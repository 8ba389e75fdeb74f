import CivilTime
import JSONText
import PickerSession

/// The absolute URLs that add an event to a user's calendar.
///
/// - Source: web/guide/definitions.md, "Calendar events".
package struct CalendarLinks: Hashable, Sendable {
  /// The default template of the Outlook link. Operators can configure another one, because this
  /// link is not documented and has changed before.
  ///
  /// `{title}`, `{start}`, `{end}` and `{allday}` are replaced by percent-encoded values. The times
  /// are RFC 3339 in UTC, or dates for an event of whole days; then the end is the day after it.
  /// `{allday}` is `true` or `false`.
  package static let outlookStandard =
    "https://outlook.live.com/calendar/0/action/compose?rru=addevent&subject={title}"
    + "&startdt={start}&enddt={end}&allday={allday}"

  package let ics: String
  package let google: String
  package let outlook: String

  /// - Parameters:
  ///   - ics: The URL of the event as an iCalendar object.
  ///   - template: A template like ``outlookStandard``.
  package init(to event: CalendarEvent, ics: String, outlook template: String) {
    self.ics = ics
    let title = CalendarLinks.encoded(event.title)
    let (start, end, isAllDay): (String, String, Bool)
    let dates: String
    switch event.span {
    case .days(let first, let last):
      if let after = last.adding(days: 1) {
        (start, end, isAllDay) = (first.iso, after.iso, true)
        dates = "\(CalendarEvent.basic(first))/\(CalendarEvent.basic(after))"
      } else {
        // 9999-12-31 has no next day: local times.
        (start, end, isAllDay) = ("\(first.iso)T00:00:00", "\(last.iso)T23:59:59", false)
        dates = "\(CalendarEvent.basic(first))T000000/\(CalendarEvent.basic(last))T235959"
      }
    case .time(let from, let until):
      (start, end, isAllDay) = (from.rfc3339Seconds, until.rfc3339Seconds, false)
      dates = "\(CalendarEvent.basic(from))/\(CalendarEvent.basic(until))"
    }
    google =
      "https://calendar.google.com/calendar/render?action=TEMPLATE&text=\(title)"
      + "&dates=\(CalendarLinks.encoded(dates))"
      + (event.texts.location.map { "&location=\(CalendarLinks.encoded($0))" } ?? "")
      + (event.texts.description.map { "&details=\(CalendarLinks.encoded($0))" } ?? "")
    // Replaced in one pass, because a title can contain `{start}`.
    outlook = CalendarLinks.filled(
      template,
      [
        "title": title, "start": CalendarLinks.encoded(start), "end": CalendarLinks.encoded(end),
        "allday": isAllDay ? "true" : "false",
      ])
  }

  private static func filled(_ template: String, _ values: [String: String]) -> String {
    var text = ""
    var rest = Substring(template)
    while let open = rest.firstIndex(of: "{") {
      text += rest[..<open]
      let name = rest[rest.index(after: open)...].prefix { $0 != "}" }
      guard name.endIndex < rest.endIndex, let value = values[String(name)] else {
        text += "{"
        rest = rest[rest.index(after: open)...]
        continue
      }
      text += value
      rest = rest[rest.index(after: name.endIndex)...]
    }
    return text + rest
  }

  /// Percent-encodes all bytes except unreserved characters.
  ///
  /// - Source: RFC 3986 section 2.3.
  static func encoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      if byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
      }
    }
    return encoded
  }
}

extension JSONWriter {
  /// `,"links":{"ics","google","outlook"}`.
  mutating func links(_ links: CalendarLinks) {
    literal(",\"links\":{\"ics\":", links.ics)
    literal(",\"google\":", links.google)
    literal(",\"outlook\":", links.outlook)
    literal("}")
  }
}
