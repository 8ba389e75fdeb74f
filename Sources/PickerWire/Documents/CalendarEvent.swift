package import CivilTime
package import PickerModel
package import PickerSession

/// The result of a session as a calendar event.
///
/// - Source: web/guide/definitions.md, "Calendar events".
package struct CalendarEvent: Hashable, Sendable {
  package enum Span: Hashable, Sendable {
    /// Whole days, both included. Those of a stay are its nights, so that it ends on the day of
    /// departure.
    case days(CivilDate, through: CivilDate)
    case time(Instant, until: Instant)
  }

  package let span: Span
  let session: SessionID
  let title: String
  let texts: EventTexts
  let status: SessionStatus
  /// The number of status changes so far, which becomes `SEQUENCE`.
  let sequence: Int
  /// The time of the last status change, which becomes `DTSTAMP`.
  let changedAt: Instant

  /// Makes the event of a session.
  ///
  /// - Returns: `nil` if the session has no result, and for `cascade` and `columns`.
  ///
  /// - Parameters:
  ///   - sight: What the reader sees.
  ///   - tag: The language of the title; `nil`: the definition's.
  package init?(_ fold: SessionFold, sight: Sight = .everything, tag: String? = nil) {
    switch sight.seen(fold.result, status: fold.status).value {
    case .null, .keys, .counted: return nil
    case .date(let keys):
      guard let date = CivilDate(iso: keys.joined(separator: "-").utf8) else { return nil }
      span = .days(date, through: date)
    case .day(let date, total: _): span = .days(date, through: date)
    case .range(let start, let end, total: _): span = .days(start, through: end)
    case .stay(let start, let end, total: _):
      span = .days(start, through: end.adding(days: -1)!)
    case .window(let window):
      switch window.span {
      case .dates(let dates): span = .days(dates.lowerBound, through: dates.upperBound)
      case .time(let start, let until): span = .time(start, until: until)
      }
    case .slot(_, let instant, let until):
      let end = until ?? instant.adding(minutes: fold.picker.definition.bookingMinutes ?? 0)
      span = .time(instant, until: min(end, .last))
    }
    session = fold.origin.id
    let locale = fold.definition.locale
    let given = fold.origin.title?.text(for: tag ?? locale, fallback: locale) ?? ""
    title = given.allSatisfy(\.isWhitespace) ? "pickerd" : given
    texts = fold.origin.host.event
    status = fold.status
    sequence = fold.statusChangeCount
    changedAt = fold.statusChangedAt
  }
}

extension CalendarEvent {
  /// The event as an iCalendar object: the same bytes until the session changes.
  ///
  /// - Parameter name: The part of the event's UID after the `@`, usually the server's host name.
  /// - Source: RFC 5545.
  package func iCalendar(name: String) -> [UInt8] {
    let stamp = CalendarEvent.basic(changedAt)
    var lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//pickerd//pickerd//EN", "METHOD:PUBLISH",
      "BEGIN:VEVENT", "UID:\(CalendarEvent.escaped(session.text))@\(CalendarEvent.escaped(name))",
      "SEQUENCE:\(sequence)", "DTSTAMP:\(stamp)", "LAST-MODIFIED:\(stamp)", "STATUS:\(statusWord)",
    ]
    switch span {
    case .days(let first, let last):
      lines.append("DTSTART;VALUE=DATE:\(CalendarEvent.basic(first))")
      if let end = last.adding(days: 1) {
        lines.append("DTEND;VALUE=DATE:\(CalendarEvent.basic(end))")
      } else {
        // 9999-12-31 has no next day.
        lines.append("DURATION:P\(last.days(since: first) + 1)D")
      }
    case .time(let start, let end):
      lines.append("DTSTART:\(CalendarEvent.basic(start))")
      lines.append("DTEND:\(CalendarEvent.basic(end))")
    }
    lines.append("SUMMARY:\(CalendarEvent.escaped(title))")
    if let location = texts.location {
      lines.append("LOCATION:\(CalendarEvent.escaped(location))")
    }
    if let description = texts.description {
      lines.append("DESCRIPTION:\(CalendarEvent.escaped(description))")
    }
    // A URI is not escaped (section 3.3.13); it has no character that could end the line.
    if let url = texts.url { lines.append("URL:\(url)") }
    lines += ["END:VEVENT", "END:VCALENDAR"]
    return lines.flatMap(CalendarEvent.folded)
  }

  private var statusWord: String {
    switch status {
    case .open, .confirming: "TENTATIVE"
    case .confirmed: "CONFIRMED"
    case .cancelled: "CANCELLED"
    }
  }

  /// Escapes text so that it cannot end its line.
  ///
  /// Readers differ in what they accept as a line end, so each line separator of Unicode becomes an
  /// escaped line break. Other control characters are removed.
  ///
  /// - Source: RFC 5545 section 3.3.11.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    var wasReturn = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n" where wasReturn: break
      case "\n", "\r", "\u{B}", "\u{C}", "\u{1C}", "\u{1D}", "\u{1E}", "\u{85}", "\u{2028}",
        "\u{2029}":
        escaped += "\\n"
      case "\\", ";", ",":
        escaped += "\\"
        escaped.unicodeScalars.append(scalar)
      case "\t": escaped.unicodeScalars.append(scalar)
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}": break
      default: escaped.unicodeScalars.append(scalar)
      }
      wasReturn = scalar == "\r"
    }
    return escaped
  }

  /// A line with its CRLF, folded into parts of at most 75 bytes at boundaries of Unicode scalars.
  ///
  /// - Source: RFC 5545 section 3.1.
  static func folded(_ line: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var length = 0
    for scalar in line.unicodeScalars {
      let encoded = Array(String(scalar).utf8)
      if length + encoded.count > 75 {
        bytes += [0x0D, 0x0A, 0x20]
        length = 1
      }
      bytes += encoded
      length += encoded.count
    }
    return bytes + [0x0D, 0x0A]
  }

  /// The basic format: `20261124`.
  static func basic(_ date: CivilDate) -> String { date.iso.replacing("-", with: "") }

  /// The basic format: `20261124T102000Z`.
  static func basic(_ instant: Instant) -> String {
    instant.rfc3339Seconds.replacing("-", with: "").replacing(":", with: "")
  }
}
