import CivilTime

/// What a session's picker is, as far as a client needs it.
public struct PickerDefinition: Hashable, Sendable {
  /// `date`, `slot`, `cascade`, `columns`, `calendar`, or one that is newer than this client.
  public let kind: String
  /// An IANA name.
  public let timeZone: String
  /// BCP 47.
  public let locale: String
  /// 1 = Sunday … 7 = Saturday.
  public let firstWeekday: Int
  /// A month always has 42 cells; if not, the weeks that it touches.
  public let hasSixWeeks: Bool
  /// A calendar of single days; if not, of ranges.
  public let isSingle: Bool
  /// Days of the shortest range, from 1.
  public let dayCountMin: Int
  /// Whether a range can end before the day that is tapped, where only the server's reach tells.
  let isBounded: Bool
  /// The definition as the server wrote it, JSON.
  public let json: String
}

extension PickerDefinition {
  var twoTapRule: TwoTapRule { TwoTapRule(isSingle: isSingle, dayCountMin: dayCountMin) }
}

/// What a server allows.
public struct PickerLimits: Hashable, Sendable {
  /// Months that can be looked at; default 24.
  public var months = 24
  /// Rows in a window; default 200.
  public var windowRows = 200
}
