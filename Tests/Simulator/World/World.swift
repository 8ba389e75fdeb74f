import CivilTime
import JSONText
import PickerHub
import PickerSession
import PickerWire

/// A deterministic simulation around a real hub: clients, network, clocks and log.
///
/// Everything follows from the seed; nothing uses the system's clock or random source. So a failure
/// is reproduced by running its seed again.
package final class World {
  package let seed: UInt64
  var random: RandomSource
  let profile: Profile
  var clock: SimulatedClock
  var queue = EventQueue()
  let log: SimulatedLog
  private(set) var hub: Hub!
  let zones = SimulatedZones()
  let texts = SimulatedTexts()
  var links: [UInt64: Link] = [:]
  /// The write-blocked connections that are not reported to the hub yet, at the latest at the end
  /// of the event-loop iteration.
  var fullSoon: [ConnectionID] = []
  /// The connections that were reported as write-blocked in the current iteration.
  var reportedFull: Set<ConnectionID> = []
  var linkCount: UInt64 = 0
  var clients: [SimulatedClient] = []
  var records: [SessionRecord] = []
  /// The state of each session, computed from its log independently of the hub.
  var replicas: [SessionID: Replica] = [:]
  /// The number of messages in flight.
  var inFlightCount = 0
  var remainingActs = 0
  var isDraining = false
  /// Whether all clients have been disconnected, so that none connects again.
  var isOver = false
  /// Whether all clients read without delay.
  var isCalm = false
  /// Work on another thread whose result the hub has not received.
  var background: [Int: () -> Void] = [:]
  var backgroundCount = 0
  /// Whether the hub is called with the result of work in the background.
  var isBackgroundDone = false
  /// The last change of the sessions' clock, in machine milliseconds.
  var lastClockSet: Int64 = 0
  /// The last failure of the log or the process, in machine milliseconds.
  var lastTrouble: Int64 = .min / 2
  /// When the sessions in the hub's memory were created or loaded, in machine milliseconds.
  var residentSince: [SessionID: Int64] = [:]
  /// The number of clock changes after which not all sessions have ticked.
  var clockSetsUnanswered = 0
  /// The number of HTTP requests without a response.
  var requestsUnanswered = 0
  var host: SimulatedHost
  private var timerSetting = 0
  private var timerDue: Int64?
  private(set) var eventCount = 0
  var sentFrameCount = 0
  /// The number of comparisons of a client with its session in a quiet phase.
  var comparisonCount = 0
  /// The first violation.
  private(set) var violation: Violation?
  /// Called with a line for each event.
  var trace: ((String) -> Void)?

  package init(seed: UInt64) {
    self.seed = seed
    random = RandomSource(seed: seed)
    profile = Profile(
      &random, isMemoryShort: seed % 8 == 5, doMembersMark: seed % 4 == 3 || seed % 16 == 5)
    host = SimulatedHost(seed: seed)
    clock = SimulatedClock(start: profile.start, runs: profile.isClockRunning)
    log = SimulatedLog(isLate: profile.isLogLate, canLoad: profile.canLogLoad)
    log.now = { [unowned self] in clock.machine }
    log.pends = { [unowned self] in planStore(of: $0) }
    log.loads = { [unowned self] in planLoad(of: $0) }
    log.reads = { [unowned self] in
      queue.add(.logReads, at: clock.machine + Int64(random.within(0...80)))
    }
    begin(with: [])
  }

  /// Starts a server process with the stored sessions.
  func begin(with dormant: [DormantSession]) {
    let configuration = HubConfiguration(
      authentication: profile.authentication, limits: profile.limits)
    let identities = IdentitySource(random: random.split(), digest: World.digest)
    hub = Hub(
      configuration, port: self, log: log, zones: zones, texts: texts, identities: identities)
    timerDue = nil
    timerSetting += 1
    enter { hub.restore(dormant, at: $0) }
  }

  /// FNV-1a instead of SHA-256, because it is faster and needs no security here.
  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var hash = FNV1aHash()
    hash.add(bytes)
    return (0..<8).map { UInt8(truncatingIfNeeded: hash.value >> (8 * $0)) }
  }

  /// Calls the hub, then runs all checks and updates the hub's timer. Every call of the hub must be
  /// made through this function.
  func enter(_ call: (HubTime) -> Void) {
    checkTicks()
    call(clock.now)
    reportFull()
    reportedFull = []
    checkAfterCall()
    let due = hub.nextTimer(at: clock.now, clockRuns: clock.runs)
    guard due != timerDue else { return }
    timerDue = due
    timerSetting += 1
    if let due { queue.add(.hubTimer(setting: timerSetting), at: max(due, clock.machine)) }
  }

  /// Runs the next event.
  ///
  /// - Returns: `false` if there is none until `end`, or a violation was found.
  func step(until end: Int64 = .max) -> Bool {
    guard violation == nil, let time = queue.nextTime, time <= end,
      let (_, event) = queue.next()
    else { return false }
    clock.advance(to: time)
    eventCount += 1
    if let trace { trace("\(clock.machine) \(clock.session.rfc3339) \(event.shown)") }
    happen(event)
    return true
  }

  private func happen(_ event: Event) {
    switch event {
    case .act(let number): act(clients[number])
    case .clientTimer(let number, let setting): fire(clients[number], setting: setting)
    case .reachHub(let id, let message):
      inFlightCount -= 1
      reach(id, message)
    case .reachClient(let id, let message):
      inFlightCount -= 1
      reachClient(id, message)
    case .writable(let id): becomeWritable(id)
    case .hubTimer(let setting):
      guard setting == timerSetting else { return }
      timerDue = nil
      enter { hub.timer(at: $0) }
    case .logStores(let session): store(session)
    case .clockJump: jump()
    case .logLoads(let session): load(session)
    case .background(let number):
      guard let job = background.removeValue(forKey: number) else { return }
      isBackgroundDone = true
      enter { _ in job() }
      isBackgroundDone = false
    case .logReads: enter { _ in log.finishReading() }
    case .logFails(let fails):
      log.isFailing = fails
      lastTrouble = clock.machine
      if fails, log.canLoad { loseStore() }
    case .crash: if remainingActs > 0 { crash() }
    case .request: request()
    case .host: actAsHost()
    }
  }

  private func planStore(of session: SessionID) {
    queue.add(.logStores(session), at: clock.machine + Int64(random.within(1...60)))
  }

  /// Confirms some or all pending records.
  private func store(_ session: SessionID) {
    let pendingCount = log.pendingCount(of: session)
    guard pendingCount > 0 else { return }
    let count = random.coin() ? pendingCount : random.within(1...pendingCount)
    log.confirm(count, of: session)
    enter { hub.committed(count, of: session, at: $0) }
    if log.pendingCount(of: session) > 0 { planStore(of: session) }
  }

  /// Records a violated rule; only the first one is retained.
  func breach(_ sentence: String) {
    guard violation == nil else { return }
    violation = Violation(
      seed: seed, machine: clock.machine, session: clock.session.rfc3339, sentence: sentence)
    trace?("BREACH \(sentence)")
  }
}

/// A violated rule, with the command that reproduces it.
package struct Violation: Error, CustomStringConvertible {
  package let seed: UInt64
  let machine: Int64
  let session: String
  /// The rule that was violated.
  package let sentence: String

  package var description: String {
    "seed \(seed), at \(machine) ms (\(session)): not true: \(sentence)\n"
      + "  make sim SEED=\(seed) COUNT=1"
  }
}

extension Event {
  /// The event as a line of the trace.
  var shown: String {
    switch self {
    case .reachHub(let id, .text(let bytes)):
      "hub <- \(id.raw) \(String(decoding: bytes.prefix(300), as: UTF8.self))"
    case .reachHub(let id, .opened): "hub <- \(id.raw) opened"
    case .reachHub(let id, .closed): "hub <- \(id.raw) closed"
    case .reachClient(let id, .frame(let bytes)):
      "  \(id.raw) <- \(String(decoding: bytes.prefix(300), as: UTF8.self))"
    case .reachClient(let id, .opened): "  \(id.raw) <- opened"
    case .reachClient(let id, .closed(let code)): "  \(id.raw) <- closed \(code)"
    case .act, .clientTimer, .writable, .hubTimer, .logStores, .logLoads, .logReads, .background,
      .clockJump, .logFails, .request, .host, .crash:
      "\(self)"
    }
  }
}
