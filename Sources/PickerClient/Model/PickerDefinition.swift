import CivilTime

/// The options of a session's picker that matter to a client. The server applies all others.
public struct PickerDefinition: Hashable, Sendable {
  /// `date`, `slot`, `cascade`, `columns`, `calendar`, `availability`, or a kind of a newer server.
  public let kind: String
  /// An IANA name; default `UTC`.
  public let timeZone: String
  /// A BCP 47 tag; default `en`.
  public let locale: String
  /// The first day of a calendar's weeks, 1 = Sunday … 7 = Saturday; default 1.
  public let firstWeekday: Int
  /// Whether each month of a calendar has 42 cells. If not, it has only the weeks with its days.
  public let hasSixWeeks: Bool
  /// Whether a calendar selects single days instead of ranges.
  public let isSingle: Bool
  /// The minimum number of days of a range; default 1.
  public let dayCountMin: Int
  /// Whether a calendar's ranges are stays: from the day of arrival to that of departure.
  public let isNights: Bool
  /// The rules of stays; without effect for days.
  let stayRules: PickerStayRules
  /// Whether a range can end before the tapped day by what the definition says, so that a tap can
  /// be predicted only with the server's reach.
  let isBounded: Bool
  /// Whether a range ends before the first day that cannot be picked, such as one that is booked:
  /// members do not receive the bookings.
  let stopsAtDisabledDays: Bool
  /// The number of cells of an availability's wanted window; default 1.
  public let windowLength: Int
  /// Whether members of an availability can mark cells with `maybe`.
  public let hasMaybe: Bool
  /// The definition as the server sent it, as JSON.
  public let json: String
}

extension PickerDefinition {
  var twoTapRule: TwoTapRule { TwoTapRule(isSingle: isSingle, dayCountMin: dayCountMin) }
}

/// The limits of a server that matter to a client.
public struct PickerLimits: Hashable, Sendable {
  /// Months that can be in view; default 24.
  public var months = 24
  /// Rows that are loaded at once; default 200.
  public var windowRows = 200
}
