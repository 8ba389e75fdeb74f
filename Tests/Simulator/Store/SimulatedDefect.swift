import PickerHub
import PickerSession

/// A deliberate bug of a node or its log that the checkers must find.
package enum SimulatedDefect: String, CaseIterable, Sendable {
  /// A node claims the sessions of a living one.
  case claimsFromLiving
  /// A node claims the sessions of one that has lost its connection and still answers reads.
  case claimsAtOnce
  /// A batch does not depend on who owns its sessions.
  case noFence
  /// A hub shows an entry before its commit is acknowledged.
  case shownBeforeCommit
  /// A commit whose outcome is unknown is taken for a success.
  case unknownIsSuccess
  /// After an unknown outcome, the batch is written again without looking for it.
  case unknownIsFailure

  // Of inventories.
  /// A hold counts after its end.
  case expiredHoldCounts
  /// Units that are freed are offered to nobody.
  case freedUnitsGoToNobody
  /// What a session holds is forgotten when it is confirmed, and nothing is booked.
  case holdIsForgotten
  /// A booking is kept when the host denies the confirmation.
  case bookingIsKeptAfterDeny
  /// A value of several keys takes units of the first one only.
  case oneKeyIsCounted
  /// A booking that is sent again is decided again.
  case bookingIsDecidedAgain
  /// A command that is sent again is decided again.
  case commandIsDecidedAgain
  /// What is booked over the capacity does not count.
  case overIsNotCounted
  /// A change of the capacity is ignored.
  case capacityIsIgnored
  /// A session keeps the units that it has held, beside its booking.
  case holdBesideBooking
  /// What a session gives back stays in the table.
  case releasedStays
  /// A hold stays when the last member has left.
  case leftHoldStays
  /// Units count as held when their hold has ended.
  case endedHoldKeepsUnits
  /// A session in memory does not get what it is offered.
  case offerIsNotSent

  package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// Whether only worlds with an inventory can find it.
  var isOfInventory: Bool {
    switch self {
    case .claimsFromLiving, .claimsAtOnce, .noFence, .shownBeforeCommit, .unknownIsSuccess,
      .unknownIsFailure:
      false
    case .expiredHoldCounts, .freedUnitsGoToNobody, .holdIsForgotten, .bookingIsKeptAfterDeny,
      .oneKeyIsCounted, .bookingIsDecidedAgain, .commandIsDecidedAgain, .overIsNotCounted,
      .capacityIsIgnored, .holdBesideBooking, .releasedStays, .leftHoldStays,
      .endedHoldKeepsUnits, .offerIsNotSent:
      true
    }
  }

  /// A log with the bug; `nil` if its statements have it.
  func log(_ log: any SessionLog) -> (any SessionLog)? {
    switch self {
    case .shownBeforeCommit: EagerLog(log)
    case .bookingIsKeptAfterDeny, .oneKeyIsCounted, .commandIsDecidedAgain, .leftHoldStays,
      .offerIsNotSent:
      DefectiveInventoryLog(log, self)
    default: nil
    }
  }

  /// A statement as a log with the bug has it.
  func changed(_ sql: String) -> String {
    switch self {
    case .noFence: sql.replacing("AND owner = $2 AND NOT", with: "AND $2 IS NOT NULL AND NOT")
    case .claimsFromLiving, .claimsAtOnce:
      sql.replacing(
        "SELECT number, batch, address FROM node", with: "SELECT 0, 0, NULL WHERE false")
    case .expiredHoldCounts: sql.replacing("AND ends_at <= $2", with: "AND ends_at + 60000 <= $2")
    case .freedUnitsGoToNobody:
      sql.replacing("u.ordinal > $3", with: "u.ordinal > $3 + 1000000")
    case .bookingIsDecidedAgain:
      sql.replacing(
        "AND id = $2 AND is_session = $3", with: "AND id = $2 AND is_session = $3 AND $3")
    case .overIsNotCounted: sql.replacing("SELECT key, booked, held", with: SimulatedDefect.notOver)
    case .capacityIsIgnored: sql.replacing("SELECT i.name, s.version", with: "SELECT i.name, 0")
    case .holdBesideBooking:
      sql.hasPrefix("DELETE FROM inventory_unit") ? sql + " AND is_booked" : sql
    case .releasedStays:
      sql.hasPrefix("UPDATE inventory_claim SET state = NULL") ? sql + " AND state = 'booked'" : sql
    case .endedHoldKeepsUnits:
      sql.replacing("held = excluded.held", with: "held = max(inventory_key.held, excluded.held)")
    case .shownBeforeCommit, .unknownIsSuccess, .unknownIsFailure, .holdIsForgotten,
      .bookingIsKeptAfterDeny, .oneKeyIsCounted, .commandIsDecidedAgain, .leftHoldStays,
      .offerIsNotSent:
      sql
    }
  }

  private static let notOver = """
    SELECT key, booked - (SELECT coalesce(sum(u.units), 0) FROM inventory_unit u
      JOIN inventory_claim c ON c.definition = u.definition AND c.id = u.id
        AND c.is_session = u.is_session
      WHERE u.definition = inventory_key.definition AND u.key = inventory_key.key AND c.is_over),
      held
    """

  /// Whether a log with the bug does not execute a statement.
  func omits(_ sql: String, _ values: [(any Sendable)?]) -> Bool {
    guard self == .holdIsForgotten, sql.hasPrefix("INSERT INTO inventory_claim") else {
      return false
    }
    return values[2] as? Bool == true && values[3] as? String == "booked"
  }
}

/// A log whose inventory has a bug.
final class DefectiveInventoryLog: ForwardingLog {
  private let defect: SimulatedDefect

  init(_ log: any SessionLog, _ defect: SimulatedDefect) {
    self.defect = defect
    super.init(log)
  }

  override func append(
    _ record: consuming LogRecord, of session: SessionID
  ) -> AppendOutcome {
    guard case .entry(let entry) = copy record, let asked = entry.demand else {
      return super.append(record, of: session)
    }
    var body = LogEntry.Body.decided(asked.entry)
    let demand = asked.demand
    switch (defect, asked.entry.body) {
    case (.bookingIsKeptAfterDeny, .settle): body = asked.entry.body
    case (.leftHoldStays, .left): body = asked.entry.body
    case (.oneKeyIsCounted, _):
      let first = InventoryDemand(
        demand.asks, keys: Array(demand.keys.prefix(1)), units: demand.units, holder: demand.holder)
      body = .decided(DecidedEntry(asked.entry.body, demand: first))
    case (.commandIsDecidedAgain, .command(let member, ref: let ref, let command, let condition)):
      // Its answer is not remembered.
      let other = LogEntry.Body.command(member, ref: ref + 1_000_000, command, condition)
      body = .decided(DecidedEntry(other, demand: demand))
    default: break
    }
    return super.append(.entry(LogEntry(at: entry.at, body: body, op: entry.op)), of: session)
  }
  override func inventory(
    _ name: String, since number: Int?, places: Int?, of sessions: [SessionID], hub: Int,
    completion: @escaping @Sendable (LogLookup<InventoryChange>) -> Void
  ) {
    let defect = defect
    super.inventory(name, since: number, places: places, of: sessions, hub: hub) { outcome in
      guard case .found(let change) = outcome, defect == .offerIsNotSent else {
        return completion(outcome)
      }
      completion(
        .found(
          InventoryChange(
            name: change.name, number: change.number, lineNumber: change.lineNumber,
            isWhole: change.isWhole, keys: change.keys,
            claims: change.claims.filter { $0.value.claim?.state != .offered })))
    }
  }
}
