import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// A session whose entries are appended one by one, with snapshots like those of a hub.
final class LogFixture {
  let origin: SessionOrigin
  private(set) var fold: SessionFold
  private(set) var entryCount = 0
  private(set) var spent = SpentEntries()
  private(set) var deltas: [Delta] = []
  /// Events of entries that were not handed to the feed.
  private var events: [FeedEvent] = []
  /// The last entry whose events were handed to the feed.
  private(set) var eventSequence = FeedRecord.nothing
  private var appending: (any SessionLog)?
  var log: any SessionLog { appending! }

  convenience init(
    _ definition: String = #"{"kind":"columns","columns":[["x","y","z"]]}"#,
    zone: ZoneRules = .utc, limits: SessionLimits = SessionLimits(), in log: any SessionLog,
    id: String = "s"
  ) throws {
    let tree = try JSONTree.parse(Array(definition.utf8))
    let definition = try Definition.make(from: tree) { _ in zone }
    let origin = SessionOrigin(
      id: SessionID(id), epoch: "first", definition: definition,
      createdAt: Instant(milliseconds: 1_542_938_400_000))
    try self.init(origin, limits: limits, in: log)
  }

  init(
    _ origin: SessionOrigin, limits: SessionLimits = SessionLimits(), in log: any SessionLog
  ) throws {
    self.origin = origin
    appending = log
    fold = try SessionFold(origin, limits: limits)
    #expect(log.append(.created(origin), of: origin.id) != .failed)
    if let log = log as? SQLSessionLog { try log.own(origin.id) }
  }

  /// Closes the log, so that the file can be opened again.
  func closeLog() { appending = nil }

  @discardableResult
  func append(_ entry: LogEntry) -> AppendOutcome {
    let outcome = log.append(.entry(entry), of: origin.id)
    guard outcome == .stored || outcome == .pending else { return outcome }
    entryCount += 1
    let effects = fold.apply(entry)
    spent.note(fold.remnant, sequence: entryCount)
    for case .delta(let delta) in effects { deltas.append(delta) }
    events += effects.flatMap { fold.events(of: $0, at: entry.at) }
    return outcome
  }

  @discardableResult
  func append(_ body: LogEntry.Body) -> AppendOutcome {
    let at = origin.createdAt.adding(milliseconds: Int64(entryCount))
    return append(LogEntry(at: at, body: body))
  }

  /// Hands the events since the last call to the feed, as a hub does.
  @discardableResult
  func feed() -> Bool {
    defer { (events, eventSequence) = ([], entryCount) }
    if eventSequence == FeedRecord.nothing { events.insert(fold.creationEvent(of: origin), at: 0) }
    return log.feed(
      FeedRecord(events: events, sequence: entryCount, previous: eventSequence), of: origin.id)
  }

  /// Changes the status: confirms an open session, or reopens a confirmed one.
  func change() {
    append(
      .command(MemberID("m_1"), ref: entryCount + 1, fold.status == .open ? .confirm : .reopen))
  }

  func join(_ member: String) {
    append(.joined(.init(member: MemberID(member), secret: hash(1), name: "Ana", role: nil)))
  }

  /// Appends accepted selects, each of another row.
  func tap(_ count: Int, by member: String) {
    for _ in 0..<count {
      let ref = entryCount + 1
      let selection = RowSelection(
        column: 0, row: (fold.picker.columns[0].selected! + 1) % 3, generation: 1, key: nil)
      append(.command(MemberID(member), ref: ref, .act(.select(selection))))
    }
  }

  /// Appends commands that are refused.
  func refuse(_ count: Int, by member: String) {
    for _ in 0..<count {
      append(.command(MemberID(member), ref: entryCount + 1, .unknown(type: "wink")))
    }
  }

  @discardableResult
  func snapshot(isIdle: Bool = false) -> Bool {
    defer { spent = SpentEntries() }
    return log.store(
      LogSnapshot(
        epoch: fold.origin.epoch, entryCount: entryCount, state: fold.state, picker: fold.picker,
        isIdle: isIdle, nextTick: nil, idleMilliseconds: 0, spent: spent,
        eventSequence: eventSequence),
      of: origin.id)
  }
}

extension SQLSessionLog {
  /// Claims a new session of a cluster's log, as for its first member.
  func own(_ session: SessionID) throws {
    guard let ownership else { return }
    flush()
    try queue.sync {
      note(try transaction { try ownership.claim([session], $0) })
      let byteCount = try connected().value(
        "SELECT byte_count FROM session WHERE id = $1", [session.text], as: Int.self)
      state.withLock { $0.note(byteCount, of: session) }
    }
  }
}

extension SessionFold {
  fileprivate func creationEvent(of origin: SessionOrigin) -> FeedEvent {
    // The origin has made a fold before.
    try! SessionFold(origin, limits: limits).creationEvent
  }
}

/// Reads the history of a session page by page.
func history(
  of fixture: LogFixture, after: Int = 0, from log: any SessionLog
) async -> [Delta]? {
  var next = HistoryPosition(
    of: fixture.origin, after: after, through: fixture.fold.revision, limits: fixture.fold.limits)
  var deltas: [Delta] = []
  while let position = next, !position.isDone {
    let page = await withCheckedContinuation { continuation in
      log.history(from: position) { continuation.resume(returning: $0) }
    }
    guard let page else { return nil }
    #expect(page.deltas.count <= HistoryPosition.deltaCountMax + 2)
    deltas += page.deltas
    next = page.next
  }
  return deltas
}
