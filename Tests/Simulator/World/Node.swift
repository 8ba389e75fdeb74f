import CivilTime
import PickerHub
import PickerSession
import PickerWire
import SessionLog

/// A server process: a hub and its log. One that shares its database with others has them once it
/// has connected to it.
final class Node: @unchecked Sendable {
  let number: Int
  /// `nil` for a log in memory.
  let engine: SimulatedEngine?
  private(set) var hub: Hub?
  /// `nil` for a log in memory.
  private(set) var log: SQLSessionLog?
  /// `nil` for a log in a database.
  private(set) var memoryLog: (any SessionLog)?
  /// The shared definitions of the log.
  private(set) var shared: (any SharedDefinitions)?
  private let time: SimulatedTime
  let scheduler: NodeScheduler
  private let configuration: HubConfiguration
  private let port: any HubPort
  private var manualTime: Int64?
  /// The notices of the store that the hub has not handled yet.
  private(set) var notices: [StoreNotice] = []
  private var timerDue: Int64?
  private var timerSetting = 0
  /// The number of HTTP requests without a response.
  var requestCount = 0
  /// Whether it accepts no more connections.
  private(set) var isStopping = false
  /// Called around each call of the hub.
  private let around: (Node, () -> Void) -> Void

  /// - Parameters:
  ///   - database: `nil`: the log is in memory.
  ///   - journal: The log in memory.
  ///   - manualTime: The time of inventories, in milliseconds since 1970; `nil`: the store's.
  init(
    number: Int, _ time: SimulatedTime, _ database: SimulatedDatabase?, _ random: RandomSource,
    _ configuration: HubConfiguration, port: any HubPort,
    journal: MemoryJournal? = nil, manualTime: Int64? = nil,
    around: @escaping (Node, () -> Void) -> Void = { $1() }
  ) {
    self.number = number
    self.time = time
    (self.configuration, self.port, self.around) = (configuration, port, around)
    self.manualTime = manualTime
    scheduler = NodeScheduler(time, random, isSkewed: database?.isClustered == true)
    engine = database.map { [scheduler] in SimulatedEngine($0, scheduler) }
    if let journal {
      let definitions = memoryDefinitions()
      let log = JournaledLog(
        MemorySessionLog(
          logByteCountMax: configuration.limits.session.logBytes, shared: definitions,
          background: { [self] work in
            let done = work()
            post(.runInHub(0, done))
          }), journal)
      memoryLog = log
      serve(log)
    } else {
      time.start { [self] in open() }
    }
  }

  private func memoryDefinitions() -> MemorySharedDefinitions {
    let time = time
    let clock = MemoryInventoryClock { wait, work in
      time.after(Int(wait / .milliseconds(1)), work)
    } notify: { [self] name, number in
      post(.inventory(name: name, number: number))
    }
    let definitions = MemorySharedDefinitions(now: { time.wall }, inventoryClock: clock) {
      [self] in post(.shared($0))
    }
    shared = definitions
    if let manualTime { definitions.clockSet(to: manualTime) }
    return definitions
  }

  /// The time of inventories, in milliseconds since 1970.
  var inventoryTime: Int64 { manualTime ?? time.wall }

  /// Sets the time of inventories where the sessions' clock stands still.
  func setInventoryTime(to now: Int64) {
    manualTime = now
    log?.clockSet(to: now)
    (shared as? MemorySharedDefinitions)?.clockSet(to: now)
  }

  var isAlive: Bool { scheduler.isAlive }
  var address: String { "node-\(number)" }
  /// Whether its store has nothing to do, and the hub has handled all notices.
  var isStill: Bool { scheduler.busyCount == 0 && notices.isEmpty && log?.failure == nil }

  var now: HubTime {
    HubTime(session: time.session.adding(milliseconds: scheduler.skew), machine: time.machine)
  }

  /// Connects to the database, and does so until it has succeeded.
  private func open() {
    guard let engine else { return }
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
      (self.log, shared, engine.isOpen) = (log, log, true)
      if let manualTime { log.clockSet(to: manualTime) }
      serve(engine.database.defect?.log(log) ?? log)
      return
    }
  }

  private func serve(_ log: any SessionLog) {
    hub = Hub(
      configuration, port: port, log: log, zones: SimulatedZones(), texts: SimulatedTexts(),
      identities: IdentitySource(random: scheduler.random.split(), digest: World.digest))
  }

  /// Calls the hub soon, after the notices before this one.
  private func post(_ notice: StoreNotice) {
    notices.append(notice)
    guard notices.count == 1 else { return }
    time.after(scheduler.random.within(0...3)) { [self] in
      let posted = notices
      notices = []
      for notice in posted { enter { $0.handle(notice.sorted, at: $1) } }
    }
  }

  /// Calls the hub, then sets its timer. Every call of the hub is made through this function.
  func enter(_ call: (Hub, HubTime) -> Void) {
    guard isAlive, let hub else { return }
    around(self) { call(hub, now) }
    let due = hub.nextTimer(at: now, clockRuns: time.runs)
    guard due != timerDue else { return }
    timerDue = due
    timerSetting += 1
    guard let due else { return }
    let setting = timerSetting
    time.after(Int(due - time.machine)) { [weak self] in
      guard let self, timerSetting == setting else { return }
      timerDue = nil
      enter { $0.timer(at: $1) }
    }
  }

  /// Ends the process.
  func kill() {
    engine?.kill()
    scheduler.kill()
    (hub, log, memoryLog, shared) = (nil, nil, nil, nil)
  }

  /// Shuts down in an orderly way.
  ///
  /// - Parameter completion: Called when the process has ended.
  func stop(_ completion: @escaping () -> Void) {
    isStopping = true
    enter { hub, _ in hub.finishCommands() }
    time.after(300) { [self] in
      enter { $0.drain(at: $1) }
      time.after(300) { [self] in
        time.start { [self] in
          log?.close()
          kill()
          completion()
        }
      }
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
    case .committed, .loaded, .run, .runInHub, .orphaned, .shared, .inventory, .offered, .stopped,
      .message:
      self
    }
  }
}
