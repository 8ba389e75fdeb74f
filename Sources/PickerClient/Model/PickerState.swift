import JSONText

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
  /// Whether only the host may cancel the session. An owner can still cancel a confirmation on
  /// which the host decides.
  public internal(set) var isCancelledByHost = false
  /// While ``status`` is `cancelled`: the reason of the host that has cancelled, in this member's
  /// language; `nil` if there is none.
  public internal(set) var cancelReason: String?
  /// The inventory from which the session takes; `nil` if there is none.
  public internal(set) var inventory: PickerInventory?
  /// How many units are taken of each key of the value.
  public internal(set) var units = 1
  /// What the session holds, is offered or waits for; `nil` if nothing.
  public internal(set) var hold: PickerHold?
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
  /// Whether the result can be had. In a cascade a row that is gone can be selected.
  public internal(set) var isResultOpen = true
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

extension PickerState {
  /// Applies the changes of a delta or of a refusal, in their order.
  ///
  /// - Returns: The notices. The changes of a refusal have no cause and therefore no notices.
  mutating func apply(
    changes: [JSONTree], by: String?
  ) throws(MalformedMessage) -> [PickerNotice] {
    var notices: [PickerNotice] = []
    var because: String?
    for change in changes {
      because = change["because"]?.string ?? because
      switch try change.text("change") {
      case "reload": try applyReload(change)
      case "row": notices += try applyMove(change, by: by)
      case "months":
        let list = try PickerMonths(change)
        monthList = list
        months = months.filter { list.contains($0.key) }
      case "range": notices += try applyRange(change, by: by)
      case "bands":
        let bands = try change.list("bands").map(PickerBand.init(_:))
        months[try change.month("month")]?.bands = bands
      case "status": notices += try applyStatus(change, by: by)
      case "result": notices += applyResult(of: change, because: because)
      case "definition":
        definition = try PickerDefinition(try change.need("definition"))
        weekdays = change["weekdays"]?.array?.compactMap(\.string) ?? weekdays
      case "notes": try applyNotes(change)
      case "inventory", "units", "hold": notices += try applyInventory(change)
      case "cells", "past", "closed", "marks", "heat", "best":
        notices += try applyAvailability(change, by: by)
      default: continue  // A change of a newer server, which clients may ignore.
      }
    }
    return notices
  }

  private mutating func applyStatus(
    _ change: JSONTree, by: String?
  ) throws(MalformedMessage) -> [PickerNotice] {
    guard let status = PickerStatus(rawValue: try change.text("status")) else { return [] }
    self.status = status
    until = change["until"]?.string
    let reason = change["reason"]?.string
    cancelReason = status == .cancelled ? reason : nil
    if let result = change["result"] { applyResult(result) }
    let detail = change["detail"]?.string
    guard status == .open, reason != nil || detail != nil else { return [.status(status, by: by)] }
    return [
      .status(status, by: by), .notConfirmed(reason: reason ?? "cancelled", detail: detail),
    ]
  }

  /// - Parameter because: Why the slot of the result before is gone.
  private mutating func applyResult(of change: JSONTree, because: String?) -> [PickerNotice] {
    let before = (result: result, total: resultTotal)
    applyResult(change["result"] ?? .null)
    if let because, case .slot(let wanted)? = before.result {
      return [.slotGone(wanted: wanted, because: PickerSlotLoss(rawValue: because) ?? .rules)]
    }
    guard result != nil, result == before.result, resultTotal != before.total else { return [] }
    return [.repriced(resultTotal, before: before.total)]
  }

  private mutating func applyReload(_ change: JSONTree) throws(MalformedMessage) {
    let index = try change.number("column")
    // A change of the definition can append columns or remove the last ones. Each removed column
    // has its own change, in ascending order.
    guard !change.flag("removed") else {
      guard index >= 0 else { throw MalformedMessage(field: "column") }
      return columns.removeSubrange(min(index, columns.count)...)
    }
    guard (0...columns.count).contains(index) else { throw MalformedMessage(field: "column") }
    guard index < columns.count else { return columns.append(try PickerColumn(change)) }
    let old = columns[index]
    columns[index] = try PickerColumn(change)
    columns[index].before = PickerColumn.Before(selected: old.selected, rows: old.rows)
  }

  private mutating func applyAvailability(
    _ change: JSONTree, by: String?
  ) throws(MalformedMessage) -> [PickerNotice] {
    guard availability != nil else { return [] }
    try availability?.apply(change)
    switch try change.text("change") {
    case "cells": return [.cells]
    case "closed": return [.closed(change.flag("closed"))]
    case "marks":
      // Without an author they are those that remain of before.
      guard let by, by != me?.id else { return [] }
      let id = try change.text("member")
      let gone = PickerAvailability.Respondent(
        id: id, name: try change.text("name"), color: try change.text("color"),
        grades: Array(repeating: nil, count: availability?.count ?? 0))
      return [.marked(availability?.respondents.first { $0.id == id } ?? gone)]
    default: return []
    }
  }

  private mutating func applyMove(
    _ change: JSONTree, by: String?
  ) throws(MalformedMessage) -> [PickerNotice] {
    let index = try change.number("column")
    guard columns.indices.contains(index) else { throw MalformedMessage(field: "column") }
    let row = try PickerRow(change)
    let cause = change["cause"]?.string
    let wanted = change["wanted"]?.string.map { columns[index].text(ofKey: $0) }
    columns[index].before = nil
    columns[index].row = try change.number("row")
    columns[index].put(moved: row, at: try change.number("row"))
    guard let cause else { return [] }
    return [
      .moved(
        column: index, to: row, cause: cause, correction: Self.correction(change, wanted), by: by)
    ]
  }

  private mutating func applyRange(
    _ change: JSONTree, by: String?
  ) throws(MalformedMessage) -> [PickerNotice] {
    range = try PickerRange.read(change)
    guard let cause = change["cause"]?.string else { return [] }
    let correction = Self.correction(change, change["wanted"]?.string)
    return [.ranged(range, cause: cause, correction: correction, by: by)]
  }

  private static func correction(_ change: JSONTree, _ wanted: String?) -> PickerCorrection? {
    change["reason"]?.string.map { PickerCorrection(wanted: wanted ?? "", reason: $0) }
  }
}

/// Applies the messages of the server to the state.
extension PickerState {
  mutating func takeWelcome(_ message: JSONTree) throws(MalformedMessage) {
    let member = try message.need("member")
    let me = try PickerMember(member, isOnline: true)
    let snapshot = message["snapshot"].flatMap { $0.isNull ? nil : $0 }
    let members = try PickerMember.list(message["members"]?.array ?? [])
    self.me = me
    epoch = try message.text("epoch")
    limits.months = message["limits"]?["months"]?.integer ?? limits.months
    limits.windowRows = max(1, message["limits"]?["windowRows"]?.integer ?? limits.windowRows)
    now = message["now"]?.string ?? now
    locale = try message.text("locale")
    (touching, hovering) = ([:], [])
    if let snapshot {
      revision = try message.number("revision")
      try apply(snapshot)
    }
    apply(members)
  }

  /// Applies a `snapshot`, which replaces the whole state.
  mutating func takeSnapshot(_ message: JSONTree) throws(MalformedMessage) {
    revision = try message.number("revision")
    now = message["now"]?.string ?? now
    try apply(try message.need("snapshot"))
    // The server has dropped pending presence updates. It sends the current touches next.
    (touching, hovering) = ([:], [])
    if let status = message["status"]?.string.flatMap(PickerStatus.init) { self.status = status }
    apply(try PickerMember.list(message["members"]?.array ?? []))
  }

  /// Applies a delta. The caller has checked that it follows ``revision``.
  mutating func applyDelta(_ message: JSONTree) throws(MalformedMessage) -> [PickerNotice] {
    revision = try message.number("revision")
    now = message["at"]?.string ?? now
    let host = message["host"] == .bool(true) ? PickerNotice.host : nil
    return try apply(
      changes: try message.list("changes"), by: message["by"]?.string ?? host)
  }

  mutating func applyMonths(_ message: JSONTree) throws(MalformedMessage) {
    for tree in try message.list("months") {
      let view = try PickerMonthView(tree)
      months[view.month] = view
    }
  }

  /// Stores requested rows, unless the column has been reloaded since the request.
  mutating func applyRows(_ message: JSONTree) throws(MalformedMessage) {
    let column = try message.number("column")
    guard columns.indices.contains(column),
      columns[column].generation == (try message.number("generation"))
    else { return }
    columns[column].put(
      try message.list("rows").map(PickerRow.init(_:)), from: try message.number("from"))
  }

  mutating func takePresence(_ message: JSONTree) throws(MalformedMessage) -> [PickerNotice] {
    var notices: [PickerNotice] = []
    for member in try PickerMember.list(message["joined"]?.array ?? []) {
      if put(member) == nil { notices.append(.joined(member)) }
    }
    for member in try PickerMember.list(message["changed"]?.array ?? []) {
      let before = put(member)
      if !member.isOnline { lift(member.id) }
      guard let before else { continue }
      if before.isOnline && !member.isOnline { notices.append(.wentOffline(member)) }
      if !before.isOnline && member.isOnline { notices.append(.cameBack(member)) }
      if before.role != member.role { notices.append(.promoted(member)) }
      if before.name != member.name { notices.append(.renamed(member, before: before.name)) }
    }
    for id in (message["left"]?.array ?? []).compactMap(\.string) {
      lift(id)
      guard let index = members.firstIndex(where: { $0.id == id }) else { continue }
      let member = members.remove(at: index)
      notices.append(.left(member))
    }
    for touch in message["touching"]?.array ?? [] {
      let id = try touch.text("member")
      lift(id)
      touching[id] = Self.touch(touch)
      if touching[id] != nil, touch.flag("hover") { hovering.insert(id) }
    }
    return notices
  }

  private mutating func lift(_ id: String) {
    touching[id] = nil
    hovering.remove(id)
  }

  /// Changes this member's own name.
  mutating func renameMe(_ name: String) {
    me?.name = name
    if let me, let index = members.firstIndex(where: { $0.id == me.id }) {
      members[index].name = name
    }
    if let me { availability?.rename(me) }
  }

  private static func touch(_ tree: JSONTree) -> PickerTouch? {
    if let column = tree["column"]?.integer, let row = tree["row"]?.integer {
      return .row(column: column, row: row)
    }
    return tree["date"]?.string.flatMap { PickerDay($0) }.map { .day($0) }
  }

  /// Adds or replaces a member.
  ///
  /// - Returns: The member before; `nil` if it is new.
  private mutating func put(_ member: PickerMember) -> PickerMember? {
    if member.id == me?.id { me = member }
    availability?.rename(member)
    guard let index = members.firstIndex(where: { $0.id == member.id }) else {
      members.append(member)
      return nil
    }
    let before = members[index]
    members[index] = member
    return before
  }

  private mutating func apply(_ snapshot: JSONTree) throws(MalformedMessage) {
    definition = try PickerDefinition(try snapshot.need("definition"))
    status = snapshot["status"]?.string.flatMap(PickerStatus.init) ?? .open
    until = snapshot["until"]?.string
    isReopenedByHost = snapshot["reopen"]?.string == "host"
    isCancelledByHost = snapshot["cancel"]?.string == "host"
    cancelReason = status == .cancelled ? snapshot["reason"]?.string : nil
    applyResult(snapshot["result"] ?? .null)
    try applyInventory(of: snapshot)
    columns = try (snapshot["columns"]?.array ?? []).map(PickerColumn.init(_:))
    months = [:]
    monthList = nil
    weekdays = snapshot["calendar"]?["weekdays"]?.array?.compactMap(\.string)
    range = nil
    availability = nil
    if let cells = snapshot["availability"] { availability = try PickerAvailability(cells) }
    if let calendar = snapshot["calendar"] {
      monthList = try PickerMonths(try calendar.need("months"))
      range = try PickerRange.read(calendar["range"] ?? .null)
    }
  }

  mutating func applyResult(_ tree: JSONTree) {
    result = PickerResult(tree)
    resultInstant = tree["instant"]?.string
    resultUntil = tree["until"]?.string
    resultTotal = PickerTotal(tree["total"])
    isResultOpen = tree["open"]?.bool ?? true
    resultCounts = try? PickerGradeCounts(tree)
  }

  private mutating func apply(_ members: [PickerMember]) {
    guard !members.isEmpty else { return }
    self.members = members
    let ids = Set(members.map(\.id))
    touching = touching.filter { ids.contains($0.key) }
    hovering.formIntersection(ids)
    if let mine = member(me?.id) { me = mine }
  }
}
