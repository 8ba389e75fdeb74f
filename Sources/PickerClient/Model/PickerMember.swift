/// What a member may do.
public enum PickerRole: String, Hashable, Sendable {
  /// Looks.
  case viewer
  /// Selects, taps, clears, undoes.
  case editor
  /// Also confirms, cancels, reopens.
  case owner
}

/// Somebody in the session.
public struct PickerMember: Hashable, Sendable, Identifiable {
  public let id: String
  public let name: String
  public internal(set) var role: PickerRole
  /// `#rrggbb`.
  public let color: String
  /// Whether a connection of this member is there.
  public let isOnline: Bool
}

/// Where a finger is.
public enum PickerTouch: Hashable, Sendable {
  case row(column: Int, row: Int)
  case day(PickerDay)
}

/// What became of a session.
public enum PickerStatus: String, Hashable, Sendable {
  case open, confirmed, cancelled
}

/// What is picked; `nil` in ``PickerState/result`` while nothing is.
public enum PickerResult: Hashable, Sendable {
  /// Of a `date` picker, or a calendar of single days.
  case day(PickerDay)
  /// Of a `slot` picker, by its wall clock: `2018-11-23T10:20`.
  case slot(local: String)
  /// Of `cascade` and `columns`.
  case keys([String])
  case days(PickerDay, through: PickerDay)
}
