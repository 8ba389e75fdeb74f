/// The state of a client: the picker, the members and the connection.
///
/// A value type, so a view can store it and compare it with the previous one.
public struct PickerState: Hashable, Sendable {
  public internal(set) var connection = PickerPhase.idle
  /// Why the last connection was closed or could not be opened; `nil` while there is one.
  public internal(set) var problem: PickerProblem?
  /// Identifies the unbroken history to which ``revision`` belongs; `nil` before the first welcome.
  public internal(set) var epoch: String?
  /// The number of the last change that was applied; 0 in a new session.
  public internal(set) var revision = 0
  /// `nil` before the first welcome.
  public internal(set) var definition: PickerDefinition?
  public internal(set) var status = PickerStatus.open
  /// While ``status`` is `confirming`: when the session is open again without a decision of the
  /// host, in RFC 3339.
  public internal(set) var until: String?
  /// Whether only the host may reopen the session, so that a confirmation is final for members.
  public internal(set) var isReopenedByHost = false
  /// The columns in order; empty for a calendar and an availability.
  public internal(set) var columns: [PickerColumn] = []
  /// The list of months of a calendar; `nil` for the other kinds.
  public internal(set) var monthList: PickerMonths?
  /// The range of a calendar that the server has confirmed; `nil` if none is selected.
  public internal(set) var range: PickerRange?
  /// The range to display: ``range`` after the predicted effect of this member's pending taps.
  public internal(set) var shownRange: PickerRange?
  /// The hit count of ``range`` after this member's pending taps. It includes taps whose range
  /// cannot be predicted, but not those that the server will refuse.
  package var shownHits = 0
  /// The cells and marks of an `availability`; `nil` for the other kinds.
  public internal(set) var availability: PickerAvailability?
  /// The loaded months among those in view, see ``PickerConnection/months(from:count:)``.
  public internal(set) var months: [PickerMonth: PickerMonthView] = [:]
  /// All members, including this one, in the order of joining.
  public internal(set) var members: [PickerMember] = []
  /// The positions of the others' fingers and pointers, by member id.
  public internal(set) var touching: [String: PickerTouch] = [:]
  /// The ids of the members in ``touching`` whose pointer is over that position, without a touch.
  public internal(set) var hovering: Set<String> = []
  /// This member; `nil` before the first welcome.
  public internal(set) var me: PickerMember?
  public internal(set) var limits = PickerLimits()
  /// The number of this member's commands without an answer.
  public internal(set) var pendingCount = 0
  /// The BCP 47 tag of the language of all texts; `nil` before the first welcome.
  public internal(set) var locale: String?
  /// The names of a calendar's seven columns in this member's language; `nil` for the other kinds.
  public internal(set) var weekdays: [String]?
  /// The result that the server has confirmed; `nil` while nothing is selected or a range is open.
  ///
  /// ```swift
  /// switch state.result {
  /// case .day(let day): print(day)
  /// case .days(let first, let last): print("\(first) to \(last)")
  /// case .nights(let arrival, let departure): print("\(arrival) to \(departure)")
  /// case .slot(let local): print(local, state.resultInstant ?? "")
  /// case .keys(let keys): print(keys)
  /// case nil: print("nothing selected")
  /// }
  /// ```
  public internal(set) var result: PickerResult?
  /// The instant of the selected slot, or at which the best window begins, in RFC 3339; `nil` for
  /// the other kinds, and for dates.
  public internal(set) var resultInstant: String?
  /// The instant at which the booking or the window ends, in RFC 3339; `nil` if the definition has
  /// no `minutes`, for dates, and for the other kinds.
  public internal(set) var resultUntil: String?
  /// The sum of the amounts of the result's days or nights; `nil` if not all of them have one.
  public internal(set) var resultTotal: PickerTotal?
  /// The counts of the best window of an availability; `nil` for the other kinds, and if this
  /// member may not know.
  public internal(set) var resultCounts: PickerGradeCounts?
  /// When this member's token expires, in RFC 3339; `nil` without a token that expires.
  public internal(set) var tokenExpires: String?
  /// Whether the next connection waits for a token that the ``TokenProvider`` has not provided yet:
  /// for the first join, or because the server has rejected or revoked the last one.
  public internal(set) var isWaitingForToken = false
  /// The close code with which the server rejected or revoked the last token: 4301, 4302 or 4403;
  /// `nil` after a welcome.
  public internal(set) var tokenCloseCode: Int?
  /// The session's time in the last message that had it, in RFC 3339.
  public internal(set) var now: String?

  public init() {}

  public var isCalendar: Bool { monthList != nil }

  /// Whether this member may select, tap and mark.
  public var canEdit: Bool { status == .open && me.map { $0.role != .viewer } ?? false }

  /// The command that selects a row of this state; `nil` if there is no such column or row.
  ///
  /// The command contains the generation and the key of the row that the user saw. If the column
  /// has other rows when the command arrives, the server selects the row with the same key or
  /// refuses.
  ///
  /// ```swift
  /// if let command = state.selecting(row: 3, column: 0) { picker.send(command) }
  /// ```
  public func selecting(row: Int, column: Int) -> PickerCommand? {
    guard columns.indices.contains(column), (0..<columns[column].count).contains(row) else {
      return nil
    }
    let shown = columns[column]
    return .select(
      column: column, row: row, generation: shown.generation, key: shown[row]?.key)
  }

  /// The command that selects the row with a key; `nil` if no loaded row of the column has it.
  public func selecting(key: String, column: Int) -> PickerCommand? {
    guard columns.indices.contains(column), let row = columns[column].row(ofKey: key) else {
      return nil
    }
    return selecting(row: row, column: column)
  }

  /// The member with this id; `nil` if there is none.
  public func member(_ id: String?) -> PickerMember? { members.first { $0.id == id } }

  /// Whether the next tap ends `range`.
  public func isOpen(_ range: PickerRange) -> Bool {
    definition?.twoTapRule.isOpen(range.civil) ?? false
  }
}

/// The phase of a connection.
public enum PickerPhase: Hashable, Sendable {
  /// Not started, or stopped. A stopped member can reconnect within 120 s.
  case idle
  case connecting
  /// The WebSocket is open and `join` is sent.
  case joining
  /// The welcome has arrived.
  case live
  /// The connection is lost. The next attempt starts automatically, with a new token if
  /// ``PickerState/isWaitingForToken`` is set.
  case waiting
  /// The token is missing, wrong or expired, and there is no ``TokenProvider``, or it has no other
  /// token. Continue with ``PickerConnection/setToken(_:)``, or ask the provider again with
  /// ``PickerConnection/retry()``.
  case needsCredentials(code: Int)
  /// Final: the session does not exist or has ended, the member is connected elsewhere, or a
  /// message violated the protocol; or, with 4403, access is denied, and there is no
  /// ``TokenProvider``, or it has no other token. The code is that of the close frame.
  case away(code: Int)
  /// This member has left.
  case left
}

/// Why there is no connection, as reported by the server or the network.
public struct PickerProblem: Hashable, Sendable {
  /// A code of the protocol; `closed` if there was none.
  public let code: String
  /// One English sentence for developers.
  public let detail: String
}
