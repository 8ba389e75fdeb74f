import CivilTime
import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Friday, 2026-11-20, 12:00 in UTC.
let noon = Instant(rfc3339: "2026-11-20T12:00:00Z".utf8)!

let letters = #"{"kind":"columns","columns":[["a","b","c"],["x","y"]]}"#
let calendar = #"{"kind":"calendar","months":{"from":"2026-10","through":"2026-12"}}"#
let slot = #"{"kind":"slot","leadMinutes":0,"stepMinutes":10,"days":2}"#
let dates = #"{"kind":"date","min":"2026-01-01","max":"2026-12-31"}"#

/// Records the frames and close codes per connection.
final class TestPort: HubPort {
  var frames: [UInt64: [Frame]] = [:]
  var closes: [UInt64: UInt16] = [:]
  /// Connections that report back-pressure for every frame.
  var full: Set<UInt64> = []
  /// Connections that have ended, which the hub does not know yet.
  var gone: Set<UInt64> = []
  /// Connections whose reading is paused.
  var paused: Set<UInt64> = []
  /// Connections of which the port has a message for the hub.
  var held: Set<UInt64> = []
  /// The deliveries of messages that wait for the log; `nil` if they are not counted.
  var waiting: Int?
  /// Work for another thread that is not done; `nil` to do it at once.
  var backgroundWork: [() -> Void]?

  func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void
  ) {
    guard backgroundWork != nil else { return then(work()) }
    backgroundWork?.append { then(work()) }
  }

  func finishBackgroundWork() {
    while let work = backgroundWork?.first {
      backgroundWork?.removeFirst()
      work()
    }
  }

  func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    if gone.contains(connection.raw) { return .gone }
    frames[connection.raw, default: []].append(frame)
    return full.contains(connection.raw) ? .writeBlocked : .sent
  }

  /// How many frames were posted as one to many, and not.
  var postedToMany = 0
  var postedToFew = 0

  func post(_ frame: Frame, to connection: ConnectionID, isOneToMany: Bool) -> SendOutcome {
    if isOneToMany { postedToMany += 1 } else { postedToFew += 1 }
    return send(frame, to: connection)
  }

  func pause(_ connection: ConnectionID) { paused.insert(connection.raw) }
  func resume(_ connection: ConnectionID) { paused.remove(connection.raw) }

  func holds(_ connection: ConnectionID) -> Bool { held.contains(connection.raw) }

  func waits(_ connection: ConnectionID, listenerCount: Int) -> (() -> Void)? {
    guard waiting != nil else { return nil }
    waiting! += listenerCount
    return { [unowned self] in waiting! -= listenerCount }
  }

  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    if let last { frames[connection.raw, default: []].append(last) }
    closes[connection.raw] = code
  }
}

/// A log whose `outcome` decides whether it stores, defers or refuses records.
final class TestLog: SessionLog {
  var outcome = AppendOutcome.stored
  var records: [LogRecord] = []
  var snapshots: [LogSnapshot] = []
  var takesSnapshots = true
  /// The events that the hub has handed over.
  var fed: [FeedRecord] = []
  var takesEvents = true
  var canLoad = false
  var isClustered = false
  var clusterCount: ClusterCount?
  /// Look-ups of sessions that are not answered.
  var lookups: [(session: SessionID, completion: (LogLookup<DormantSession>) -> Void)] = []
  var nameOwner = LogLookup<NameOwner>.absent
  var shared: [String: SharedDefinition] = [:]
  /// What is taken of the inventory.
  var counts: InventoryChange?
  /// Readings of what has changed of it.
  var countings: [(since: Int?, places: Int?, answer: (LogLookup<InventoryChange>) -> Void)] = []
  var isCertain = true
  /// Confirmations that are not answered.
  var confirmations: [(Bool) -> Void] = []
  var described: SessionFold?
  var released: [SessionID] = []
  /// Pages of histories that were to be read.
  var readings: [(from: HistoryPosition, completion: (HistoryPage?) -> Void)] = []
  /// The hub number of each requested load.
  var loads: [Int] = []

  /// The session that was created last.
  var lastCreated: SessionID? {
    records.compactMap { if case .created(let origin, _, _) = $0 { origin.id } else { nil } }.last
  }

  func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    let isEntry = if case .entry = record { true } else { false }
    let isRefused =
      switch outcome {
      case .stored, .decided, .pending: false
      case .failed: true
      case .full: isEntry && record.needsBudget
      case .storeFull: record.needsBudget
      case .exhausted: isEntry
      }
    if isRefused { return outcome }
    if case .created(_, let event?, _) = record {
      fed.append(FeedRecord(events: [event], sequence: 0, previous: FeedRecord.nothing))
    }
    records.append(record)
    return outcome == .pending ? .pending : .stored
  }

  func feed(_ record: FeedRecord, of session: SessionID) -> Bool {
    if takesEvents { fed.append(record) }
    return takesEvents
  }

  func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    if takesSnapshots { snapshots.append(snapshot) }
    return takesSnapshots
  }

  func load(_ session: SessionID, limits: SessionLimits, hub: Int) { loads.append(hub) }

  func find(
    _ session: SessionID, completion: @escaping @Sendable (LogLookup<DormantSession>) -> Void
  ) { lookups.append((session, completion)) }

  func shared(
    _ name: String, hub: Int,
    completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) { completion(shared[name].map { .found($0) } ?? .absent) }

  func inventory(
    _ name: String, since number: Int?, places: Int?, of sessions: [SessionID], hub: Int,
    completion: @escaping @Sendable (LogLookup<InventoryChange>) -> Void
  ) {
    if number != nil { return countings.append((number, places, completion)) }
    completion(counts.map { .found($0) } ?? .absent)
  }

  func find(
    _ names: SessionIndex.Names, hub: Int,
    completion: @escaping @Sendable (LogLookup<NameOwner>) -> Void
  ) { completion(nameOwner) }

  func confirm(
    _ session: SessionID, completion: @escaping @Sendable (_ isConfirmed: Bool) -> Void
  ) { confirmations.append(completion) }

  func describe(
    _ session: SessionID, limits: SessionLimits, hub: Int,
    completion: @escaping @Sendable (SessionFold?) -> Void
  ) { completion(described) }

  func released(_ session: SessionID) { released.append(session) }

  func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) { readings.append((position, completion)) }
}

final class TestTexts: TextSource {
  func texts(for tag: String) -> (any RowTexts)? {
    switch tag {
    case "en": EnglishTexts()
    case "zh-Hans": SimplifiedChineseTexts()
    default: nil
    }
  }
}

final class TestZones: ZoneSource {
  func rules(named name: String) -> ZoneRules? { name == "UTC" ? .utc : nil }
}

extension Hub {
  /// The log has loaded a session; `nil` if it cannot be read.
  func loaded(_ id: SessionID, _ session: LoadedSession?, at time: HubTime) {
    loaded(id, session.map { .found($0) } ?? .unreadable, at: time)
  }
}

/// A deterministic generator without repetitions.
struct CountingRandom: RandomNumberGenerator {
  private var count: UInt64 = 0

  mutating func next() -> UInt64 {
    count &+= 0x9E37_79B9_7F4A_7C15
    return count
  }
}

/// A hub with one session and a clock that the test advances.
final class HubFixture {
  let port = TestPort()
  let log = TestLog()
  let hub: Hub
  var session = SessionID("")
  /// By role; empty with open authentication.
  var tokens: [String: String] = [:]
  /// Milliseconds since the start of the test.
  var machine: Int64 = 0

  init(
    _ definition: String, _ configuration: HubConfiguration = HubConfiguration(),
    shard: HubShard = .whole, fields: String = "", canLoad: Bool = false, isClustered: Bool = false
  ) throws {
    log.canLoad = canLoad
    log.isClustered = isClustered
    hub = Hub(
      configuration, port: port, log: log, zones: TestZones(), texts: TestTexts(),
      identities: IdentitySource(random: CountingRandom()) { $0 }, shard: shard)
    let request = try CreateRequest(Array(#"{"definition":\#(definition)\#(fields)}"#.utf8))
    hub.begin { [self] host throws(HubProblem) in
      try await host.create(request, socketBase: "ws://here", at: now)
    } answer: { [unowned self] result in
      guard case .success(let created) = result else { return }
      session = created.id
      let body = try? JSONTree.parse(created.body)
      for token in body?["tokens"]?.members ?? [] { tokens[token.key] = token.value.string }
    }
    if isClustered { try claim() }
  }

  /// Loads the created session, which belongs to no node of a cluster's log yet.
  private func claim() throws {
    guard case .created(let origin, _, _)? = log.records.first else { return }
    let dormant = DormantSession(
      id: session, ttlSeconds: origin.ttlSeconds, idleMilliseconds: 0, nextTick: nil,
      hasMembers: false)
    hub.restore([dormant], at: now)
    let fold = try SessionFold(origin, limits: hub.limits.session)
    hub.loaded(
      session,
      LoadedSession(fold: fold, entryCount: 0, idleMilliseconds: 0, eventSequence: 0), at: now)
    log.loads = []
  }

  var now: HubTime {
    HubTime(session: noon.adding(milliseconds: machine), machine: machine)
  }

  var fold: SessionFold { hub.session(session)!.fold }

  /// Opens a connection and joins; `fields` begin with a comma.
  func join(_ raw: UInt64, _ fields: String = "") {
    open(raw)
    send(raw, #"{"type":"join"\#(fields)}"#)
  }

  func open(_ raw: UInt64, session id: SessionID? = nil) {
    hub.opened(ConnectionID(raw: raw), session: id ?? session, bearer: nil, at: now)
  }

  func send(_ raw: UInt64, _ text: String) {
    hub.received(ConnectionID(raw: raw), Array(text.utf8).span, at: now)
  }

  func disconnect(_ raw: UInt64) { hub.closed(ConnectionID(raw: raw), at: now) }

  func becomeWritable(_ raw: UInt64) { hub.writable(ConnectionID(raw: raw), at: now) }

  /// Advances the clock and fires the hub's timers when they are due.
  func wait(_ milliseconds: Int64) {
    let end = machine + milliseconds
    while let due = hub.nextTimer(at: now, clockRuns: true), due <= end {
      machine = max(machine, due)
      hub.timer(at: now)
    }
    machine = end
  }

  /// The messages sent to a connection since the last call.
  func received(_ raw: UInt64) -> [JSONTree] {
    defer { port.frames[raw] = [] }
    return (port.frames[raw] ?? []).compactMap { try? JSONTree.parse(Array($0.bytes)) }
  }

  /// The types of the messages sent to a connection since the last call.
  func types(_ raw: UInt64) -> [String] { received(raw).compactMap { $0["type"]?.string } }

  func forgetAll() { port.frames = [:] }

  /// The `resume` field for the member of a welcome; begins with a comma.
  func resume(_ welcome: JSONTree, revision: Int, secret: String? = nil) -> String {
    let member = welcome["member"]?["id"]?.string ?? ""
    let secret = secret ?? welcome["member"]?["secret"]?.string ?? ""
    let epoch = welcome["epoch"]?.string ?? ""
    return #","resume":{"member":"\#(member)","secret":"\#(secret)","#
      + #""epoch":"\#(epoch)","revision":\#(revision)}"#
  }

  /// Reports all pending records as stored.
  func store() { hub.committed(100, of: session, at: now) }
}

func select(_ ref: Int, _ column: Int, _ row: Int) -> String {
  #"{"type":"select","ref":\#(ref),"column":\#(column),"row":\#(row),"generation":1}"#
}

/// The contents of a session with `listeners` connected members and nothing pending.
func contents(listeners: Int = 0) -> Hub.SessionContents {
  var contents = Hub.SessionContents()
  contents.listeners = listeners
  contents.connections = listeners
  contents.pending = listeners
  return contents
}
