import CivilTime
import PickerHub
import PickerSession
import PickerWire
import SessionLog

/// A node: a hub, its store, and its sockets. It has them once it has connected to the database.
final class ClusterNode: @unchecked Sendable {
  let number: Int
  let engine: SimulatedEngine
  private(set) var hub: Hub?
  private(set) var log: SQLSessionLog?
  private let time: ClusterTime
  private let scheduler: NodeScheduler
  private let port: Port
  private var notices: [StoreNotice] = []
  private var timerDue: Int64?
  /// Whether it accepts no more connections.
  private(set) var isStopping = false
  /// The maximum of members of a session.
  static let memberCountMax = 4

  /// - Parameters:
  ///   - sends: Called with a frame for a connection.
  ///   - closes: Called when the hub has closed a connection.
  init(
    number: Int, _ database: SimulatedDatabase, _ random: RandomSource,
    sends: @escaping (ConnectionID, [UInt8]) -> Void,
    closes: @escaping (ConnectionID, UInt16) -> Void
  ) {
    self.number = number
    time = database.time
    scheduler = NodeScheduler(time, random)
    engine = SimulatedEngine(database, scheduler)
    port = Port(sends: sends, closes: closes)
    time.start { [self] in open() }
  }

  var isAlive: Bool { scheduler.isAlive }
  var address: String { "node-\(number)" }

  var now: HubTime {
    let now = time.now
    return HubTime(
      session: Instant(milliseconds: now.session.milliseconds + scheduler.skew),
      machine: now.machine)
  }

  /// Connects to the database, and does so until it has succeeded.
  private func open() {
    var configuration = HubConfiguration()
    configuration.limits.session.members = ClusterNode.memberCountMax
    configuration.limits.messagesPerSecond = 1000
    configuration.limits.memberMilliseconds = 2500
    var settings = SQLSessionLog.Settings(
      zone: { SimulatedZones().rules(named: $0) }, digest: World.digest,
      notify: { [self] in post($0) })
    settings.limits = configuration.limits.session
    settings.nodeAddress = address
    settings.scheduler = scheduler
    settings.afterIteration = { [self] in post(.runInHub(0, $0)) }
    while isAlive, !time.isOver {
      guard let log = try? SQLSessionLog(engine, settings) else {
        scheduler.sleep(500)
        continue
      }
      self.log = log
      let isEager = engine.database.defect == .shownBeforeCommit
      hub = Hub(
        configuration, port: port, log: isEager ? EagerLog(log) : log, zones: SimulatedZones(),
        texts: SimulatedTexts(),
        identities: IdentitySource(random: scheduler.random.split(), digest: World.digest))
      return
    }
  }

  /// Calls the hub soon, after the notices before this one.
  private func post(_ notice: StoreNotice) {
    notices.append(notice)
    guard notices.count == 1 else { return }
    time.after(scheduler.random.within(0...3)) { [self] in
      let posted = notices
      notices = []
      for notice in posted { enter { $0.handle(notice.sorted, at: now) } }
    }
  }

  /// Calls the hub, then sets its timer. Every call of the hub is made through this function.
  func enter(_ call: (Hub) -> Void) {
    guard isAlive, let hub else { return }
    call(hub)
    let due = hub.nextTimer(at: now, clockRuns: true)
    guard let due, timerDue.map({ due < $0 || $0 <= time.machine }) ?? true else { return }
    timerDue = due
    time.after(Int(due - time.machine)) { [weak self] in
      guard let self, isAlive, timerDue == due else { return }
      timerDue = nil
      enter { $0.timer(at: now) }
    }
  }

  /// Ends the process.
  func kill() {
    engine.kill()
    (hub, log) = (nil, nil)
  }

  /// Shuts down in an orderly way.
  ///
  /// - Parameter completion: Called when the process has ended.
  func stop(_ completion: @escaping () -> Void) {
    isStopping = true
    enter { $0.finishCommands() }
    time.after(300) { [self] in
      enter { $0.drain(at: now) }
      time.after(300) { [self] in
        time.start { [self] in
          log?.close()
          kill()
          completion()
        }
      }
    }
  }

  private final class Port: HubPort {
    private let sends: (ConnectionID, [UInt8]) -> Void
    private let closes: (ConnectionID, UInt16) -> Void

    init(
      sends: @escaping (ConnectionID, [UInt8]) -> Void,
      closes: @escaping (ConnectionID, UInt16) -> Void
    ) { (self.sends, self.closes) = (sends, closes) }

    func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
      sends(connection, Array(frame.bytes))
      return .sent
    }

    func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
      closes(connection, code)
    }
  }
}

extension StoreNotice {
  /// With its sessions in an order that is the same in each run.
  fileprivate var sorted: StoreNotice {
    let order = { (sessions: [SessionID]) in sessions.sorted { $0.text < $1.text } }
    return switch self {
    case .refused(let sessions): .refused(order(sessions))
    case .lost(let sessions): .lost(order(sessions))
    case .taken(let sessions): .taken(order(sessions))
    case .committed, .loaded, .run, .runInHub, .orphaned, .shared, .stopped, .message: self
    }
  }
}

/// A log that takes an entry for stored as soon as it is appended.
private final class EagerLog: SessionLog {
  private let log: SQLSessionLog

  init(_ log: SQLSessionLog) { self.log = log }

  func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    let outcome = log.append(record, of: session)
    guard case .entry = record, outcome == .pending else { return outcome }
    return .stored
  }

  var canLoad: Bool { true }
  var isClustered: Bool { true }
  var clusterCount: ClusterCount? { log.clusterCount }
  func feed(_ record: FeedRecord, of session: SessionID) -> Bool { log.feed(record, of: session) }
  func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    log.store(snapshot, of: session)
  }
  func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    log.load(session, limits: limits, hub: hub)
  }
  func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) { log.history(from: position, completion: completion) }
  func noteVisit(of session: SessionID) { log.noteVisit(of: session) }
  func find(
    _ session: SessionID, completion: @escaping @Sendable (LogLookup<DormantSession>) -> Void
  ) { log.find(session, completion: completion) }
  func find(
    _ names: SessionIndex.Names, hub: Int,
    completion: @escaping @Sendable (LogLookup<NameOwner>) -> Void
  ) { log.find(names, hub: hub, completion: completion) }
  func released(_ session: SessionID) { log.released(session) }
  func list(
    _ query: SessionListQuery, hub: Int,
    completion: @escaping @Sendable (LogLookup<SessionListPage>) -> Void
  ) { log.list(query, hub: hub, completion: completion) }
}
