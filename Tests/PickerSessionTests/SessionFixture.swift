import CivilTime
import JSONText
import PickerModel

@testable import PickerSession

/// Friday, 2026-11-20, 12:00 in UTC.
let noon = Instant(rfc3339: "2026-11-20T12:00:00Z".utf8)!

let ana = MemberID("Ana")
let bo = MemberID("Bo")
let cem = MemberID("Cem")

/// A fold that Ana, Bo and Cem have joined in this order.
struct SessionFixture {
  var fold: SessionFold

  init(
    _ definition: String, openTap: SessionOrigin.OpenTap = .shared,
    access: SessionOrigin.Access = .open, limits: SessionLimits = SessionLimits(),
    zone: ZoneRules = .utc, at createdAt: Instant = noon, host: HostFields = HostFields(),
    inventory: InventorySettings? = nil
  ) throws {
    let made = try Definition.make(from: try JSONTree.parse(Array(definition.utf8))) { _ in zone }
    var origin = SessionOrigin(
      id: SessionID("s"), epoch: "e", definition: made, openTap: openTap, access: access,
      createdAt: createdAt, host: host)
    origin.inventory = inventory.map {
      KnownInventory(settings: $0, levels: KeyLevels([:], others: nil, for: made.kind))
    }
    fold = try SessionFold(origin, limits: limits)
    for member in [ana, bo, cem] { join(member) }
  }

  @discardableResult
  mutating func join(_ member: MemberID, as role: Role? = nil) -> [Effect] {
    let joining = LogEntry.Joining(
      member: member, secret: SecretHash([]), name: member.text, role: role)
    return fold.apply(LogEntry(at: fold.origin.createdAt, body: .joined(joining)))
  }

  @discardableResult
  mutating func give(
    _ member: MemberID, _ ref: Int, _ command: Command, if precondition: Precondition? = nil,
    after milliseconds: Int64 = 0, isOverRate: Bool = false, at instant: Instant = noon,
    op: String? = nil
  ) -> [Effect] {
    if isOverRate { return refuse(member, ref, command, isOverRate: true) }
    let body = LogEntry.Body.command(member, ref: ref, command, precondition)
    return fold.apply(
      LogEntry(at: instant.adding(milliseconds: milliseconds), body: body, op: op))
  }

  /// Checks a command that is refused without being stored.
  func refuse(
    _ member: MemberID, _ ref: Int, _ command: Command, isOverRate: Bool = false
  ) -> [Effect] {
    fold.refusal(of: command, ref: ref, by: member, unless: isOverRate ? .rate : nil)
      .map { [.answered(member, $0)] } ?? []
  }

  @discardableResult
  mutating func leave(_ member: MemberID) -> [Effect] {
    fold.apply(LogEntry(at: noon, body: .left(member)))
  }

  /// The code of the last outcome; `nil` if it is not a refusal.
  static func refusal(_ effects: [Effect]) -> Rejection? {
    guard case .answered(_, let answer)? = effects.last,
      case .refused(let refusal, _) = answer.body
    else { return nil }
    return refusal.code
  }

  /// The revision of the only outcome; `nil` if it is not a reply.
  static func reply(_ effects: [Effect]) -> Int? {
    guard effects.count == 1, case .answered(_, let answer) = effects[0],
      case .reply(let revision) = answer.body
    else { return nil }
    return revision
  }

  static func deltas(_ effects: [Effect]) -> [Delta] {
    effects.compactMap { if case .delta(let delta) = $0 { delta } else { nil } }
  }
}

let calendar = #"{"kind":"calendar","months":{"from":"2026-10","through":"2026-12"}}"#
let letters = #"{"kind":"columns","columns":[["a","b","c"],["x","y"]]}"#
let slot = #"{"kind":"slot","leadMinutes":0,"stepMinutes":10,"days":2}"#

func tap(_ date: String) -> Command { .act(.tap(.date(CivilDate(iso: date.utf8)!))) }

func select(_ column: Int, _ row: Int, generation: Int = 1, key: String? = nil) -> Command {
  .act(.select(.init(column: column, row: row, generation: generation, key: key)))
}
