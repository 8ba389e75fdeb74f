/// Everything there is to show: the picker, the people, the connection.
///
/// It is a value: keep the last one, compare two, hand it to a view.
public struct PickerState: Hashable, Sendable {
  /// How the connection stands.
  public internal(set) var connection = PickerPhase.idle
  /// Why the last connection ended, or could not be made; `nil` while one is there.
  public internal(set) var problem: PickerProblem?
  /// One unbroken history of the session; `nil` before the first welcome.
  public internal(set) var epoch: String?
  /// The number of the last change; 0 in a new session.
  public internal(set) var revision = 0
  /// `nil` until there is something to show.
  public internal(set) var definition: PickerDefinition?
  public internal(set) var status = PickerStatus.open
  /// Empty for a calendar.
  public internal(set) var columns: [PickerColumn] = []
  /// `nil` unless it is a calendar.
  public internal(set) var monthList: PickerMonths?
  /// The range by the server's last word.
  public internal(set) var range: PickerRange?
  /// The range to show: ``range`` with this member's own unanswered taps on top.
  public internal(set) var shownRange: PickerRange?
  /// The months in view.
  public internal(set) var months: [PickerMonth: PickerMonthView] = [:]
  /// Everybody, this member too, in the order in which they joined.
  public internal(set) var members: [PickerMember] = []
  /// Fingers of others, by member.
  public internal(set) var touching: [String: PickerTouch] = [:]
  /// This member; `nil` before the first welcome.
  public internal(set) var me: PickerMember?
  public internal(set) var limits = PickerLimits()
  /// Own commands that have no answer yet.
  public internal(set) var pendingCount = 0
  /// The locale whose texts this member gets; `nil` from an older server.
  public internal(set) var locale: String?
  /// The names of a calendar's seven columns in this member's locale; `nil` from an older server.
  public internal(set) var weekdays: [String]?
  /// The instant of a slot that is chosen, RFC 3339; `nil` for other kinds.
  public internal(set) var resultInstant: String?
  /// The result as the server sent it last.
  var sentResult: PickerResult?
  /// Whether the server sends every new result, so that none is worked out here.
  var tracksResult = false
  /// The session's time when the server last spoke of it, RFC 3339.
  public internal(set) var now: String?

  public init() {}

  public var isCalendar: Bool { monthList != nil }

  /// Whether this member may select and tap.
  public var canEdit: Bool { status == .open && me.map { $0.role != .viewer } ?? false }

  /// The command that selects a row as this state shows it; `nil` if there is no such column.
  ///
  /// It names what the person saw: when an earlier column has moved meanwhile, the row with the
  /// same key is meant, or none.
  public func selecting(row: Int, column: Int) -> PickerCommand? {
    guard columns.indices.contains(column), (0..<columns[column].count).contains(row) else {
      return nil
    }
    let shown = columns[column]
    return .select(
      column: column, row: row, generation: shown.generation, key: shown[row]?.key)
  }

  /// The command that selects the row with a key; `nil` if none of those known here has it.
  public func selecting(key: String, column: Int) -> PickerCommand? {
    guard columns.indices.contains(column), let row = columns[column].row(ofKey: key) else {
      return nil
    }
    return selecting(row: row, column: column)
  }

  /// The member with this id.
  public func member(_ id: String?) -> PickerMember? { members.first { $0.id == id } }

  /// Whether a range waits for its second tap.
  public func isOpen(_ range: PickerRange) -> Bool {
    definition?.twoTapRule.isOpen(range.civil) ?? false
  }

  /// What is picked, by the server's last word; `nil` while nothing is, or a range is open.
  public var result: PickerResult? {
    guard let definition else { return nil }
    if tracksResult { return sentResult }
    if isCalendar {
      guard let range, !isOpen(range) else { return nil }
      return definition.isSingle ? .day(range.start) : .days(range.start, through: range.end)
    }
    let keys = columns.compactMap { $0.selected?.key }
    guard !keys.isEmpty else { return nil }
    if definition.kind == "date" { return PickerDay(keys.joined(separator: "-")).map { .day($0) } }
    if definition.kind == "slot", keys.count == 3 {
      return .slot(local: "\(keys[0])T\(keys[1]):\(keys[2])")
    }
    return .keys(keys)
  }
}

/// How a connection stands.
public enum PickerPhase: Hashable, Sendable {
  /// Not started, or stopped; the server keeps the member for 120 s.
  case idle
  case connecting
  /// Connected; the welcome is on its way.
  case joining
  case live
  /// Lost; the next attempt comes by itself.
  case waiting
  /// The token is missing, wrong or over: give a new one.
  case needsCredentials(code: Int)
  /// The server wants us to stay away: no such session, it has ended, or a fault.
  case away(code: Int)
  /// This member has left.
  case left
}

/// Why there is no connection, in the words of the server or of the network.
public struct PickerProblem: Hashable, Sendable {
  /// The protocol's code; `closed` where there was none.
  public let code: String
  public let detail: String
}
