package import CivilTime
package import PickerModel
package import PickerSession

/// The result of a session as an event of somebody's calendar.
/// - Source: protocol.md, "iCalendar".
package struct CalendarEvent: Hashable, Sendable {
  package enum Span: Hashable, Sendable {
    /// Whole days, both included.
    case days(CivilDate, through: CivilDate)
    case time(Instant, until: Instant)
  }

  package let span: Span
  let session: SessionID
  let title: String
  let status: SessionStatus
  /// Status changes so far.
  let sequence: Int
  /// When the status changed last.
  let changedAt: Instant

  /// - Returns: `nil` for a session without a result, and for kinds that choose no time.
  package init?(_ fold: SessionFold) {
    switch fold.picker.result {
    case .null, .keys: return nil
    case .date(let keys):
      guard let date = CivilDate(iso: keys.joined(separator: "-").utf8) else { return nil }
      span = .days(date, through: date)
    case .day(let date): span = .days(date, through: date)
    case .range(let start, let end): span = .days(start, through: end)
    case .slot(_, let instant, let until):
      let end = until ?? instant.adding(minutes: fold.picker.definition.bookingMinutes ?? 0)
      span = .time(instant, until: min(end, .last))
    }
    session = fold.origin.id
    title = fold.origin.title ?? "pickerd"
    status = fold.status
    sequence = fold.statusChangeCount
    changedAt = fold.statusChangedAt
  }

  /// Whether sessions of a kind have events at all.
  package static func isPossible(for kind: PickerKind) -> Bool {
    switch kind {
    case .date, .slot, .calendar: true
    case .cascade, .columns: false
    }
  }
}

extension CalendarEvent {
  /// The event as an iCalendar object: the same bytes until the session changes.
  ///
  /// - Parameter name: What follows the `@` of the event's UID.
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
      // Without an end the event has one day; the last day of all has no day after it.
      if let end = last.adding(days: 1) {
        lines.append("DTEND;VALUE=DATE:\(CalendarEvent.basic(end))")
      }
    case .time(let start, let end):
      lines.append("DTSTART:\(CalendarEvent.basic(start))")
      lines.append("DTEND:\(CalendarEvent.basic(end))")
    }
    lines += ["SUMMARY:\(CalendarEvent.escaped(title))", "END:VEVENT", "END:VCALENDAR"]
    return lines.flatMap(CalendarEvent.folded)
  }

  private var statusWord: String {
    switch status {
    case .open: "TENTATIVE"
    case .confirmed: "CONFIRMED"
    case .cancelled: "CANCELLED"
    }
  }

  /// Text without anything that could end its line. What reads lines differs in what ends one, so
  /// every separator of Unicode becomes an escaped line break, and other control characters go.
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

  /// A line with its end, in pieces of at most 75 bytes, cut between characters (Unicode scalars).
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

  /// `20261124`
  static func basic(_ date: CivilDate) -> String { date.iso.replacing("-", with: "") }

  /// `20261124T102000Z`
  static func basic(_ instant: Instant) -> String {
    instant.rfc3339Seconds.replacing("-", with: "").replacing(":", with: "")
  }
}
