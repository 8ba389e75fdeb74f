import CivilTime
import JSONText
import PickerHub
import PickerSession
import PickerWire

/// A deterministic simulation around a real hub and its log: clients, network, clocks, database.
///
/// Everything follows from the seed; nothing uses the system's clock or random source. So a failure
/// is reproduced by running its seed again.
package final class World {
  package let seed: UInt64
  var random: RandomSource
  let profile: Profile
  let clock: SimulatedTime
  /// `nil`: the log is in memory.
  let database: SimulatedDatabase?
  /// That of the log in memory.
  let journal = MemoryJournal()
  /// The logs of sessions in the database, by their numbers.
  var storedLogs: [Int64: StoredLog] = [:]
  /// The last entry of the database's journal that the replicas have.
  var journalPosition = 0
  /// The node whose hub is called, or was called last.
  private(set) var node: Node!
  /// Those that run.
  var nodes: [Node] = []
  private var startedCount = 0
  /// Whether a standby was promoted. Only then the epochs of sessions change.
  var hasFailedOver = false
  /// The replicas that have what a promoted standby may lack.
  var doubted: [SessionID: Replica] = [:]
  var relayedCount = 0
  /// The replicas of former epochs.
  var formerReplicas: [String: Replica] = [:]
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
  var background: [Int: (node: Node, job: () -> Void)] = [:]
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
  /// The number of HTTP requests without a response, at the node that is called.
  var requestsUnanswered: Int {
    get { node.requestCount }
    set { node.requestCount = newValue }
  }
  var host: SimulatedHost
  var seller: SimulatedSeller
  /// What was taken of the inventories after the last transaction.
  var inventories: [String: InventoryRows] = [:]
  /// How many holds, offers and bookings were given.
  var grantCount = 0
  /// Members that were added over HTTP.
  var posters: [(session: SessionID, id: String, secret: String)] = []
  /// The sessions whose replicas have changed since they were compared.
  var uncompared: Set<SessionID> = []
  /// The newest versions of shared definitions, as far as requests have shown them.
  var newestShared: [String: SharedDefinition] = [:]
  var sentFrameCount = 0
  /// The revisions of all sessions, at the end.
  var revisionCount = 0
  /// The number of comparisons of a client with its session in a quiet phase.
  var comparisonCount = 0
  /// The first violation.
  private(set) var violation: Violation?
  /// Called with a line for each event.
  var trace: ((String) -> Void)?

  /// A world whose first choices are the bytes of a fuzzer's input. It lives as long as they last.
  package convenience init(bytes: [UInt8]) {
    var hash = FNV1aHash()
    hash.add(bytes)
    self.init(seed: hash.value, bytes: bytes)
  }

  /// - Parameters:
  ///   - nodeCount: The number of nodes; `nil`: the seed decides.
  ///   - defect: A bug that must be found.
  package init(
    seed: UInt64, bytes: [UInt8] = [], nodeCount: Int? = nil, defect: SimulatedDefect? = nil
  ) {
    self.seed = seed
    var random = RandomSource(seed: seed, bytes: bytes)
    var profile = Profile(
      &random, isMemoryShort: seed % 8 == 5, doMembersMark: seed % 4 == 3 || seed % 16 == 5)
    let count = nodeCount ?? (seed % 4 == 2 ? random.within(2...4) : 1)
    if count > 1 { profile.share(among: count) }
    let sells = seed % 8 == 4 || seed % 8 == 6 || seed % 16 == 1
    if defect.map(\.isOfInventory) ?? sells { profile.sell(&random) }
    self.profile = profile
    self.random = random
    host = SimulatedHost(seed: seed)
    seller = SimulatedSeller(seed: seed)
    let clock = SimulatedTime(start: profile.start, runs: profile.isClockRunning)
    self.clock = clock
    database =
      profile.isStored
      ? SimulatedDatabase(
        clock, self.random.split(), isClustered: profile.isClustered, defect: defect) : nil
    database?.committed = { [unowned self] in followDatabase() }
    database?.faulted = { [unowned self] in lastTrouble = clock.machine }
    database?.promoted = { [unowned self] in doubtReplicas() }
    journal.appended = { [unowned self] in followJournal(of: $0) }
    startNode()
  }

  /// The clock of inventories where that of the sessions stands still until it is set.
  private var manualTime: Int64? {
    profile.sells && !profile.isClockRunning ? clock.session.milliseconds : nil
  }

  var hub: Hub { node.hub! }
  var eventCount: Int { clock.eventCount }
  /// The number of calls of the database that have failed.
  var failureCount: Int { database?.faultCount ?? 0 }

  /// Starts a server process with the stored sessions.
  func startNode() {
    startedCount += 1
    let configuration = HubConfiguration(
      authentication: profile.authentication, limits: profile.limits)
    let started = Node(
      number: startedCount, clock, database, random.split(), configuration, port: self,
      journal: database == nil ? journal : nil, manualTime: manualTime
    ) { [unowned self] in check($0, around: $1) }
    nodes.append(started)
    if node?.isAlive != true { node = started }
    if profile.isClustered { return }
    enter { hub.restore(node.log?.restored ?? [], at: $0) }
  }

  /// FNV-1a instead of SHA-256, because it is faster and needs no security here.
  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var hash = FNV1aHash()
    hash.add(bytes)
    return (0..<8).map { UInt8(truncatingIfNeeded: hash.value >> (8 * $0)) }
  }

  /// Calls the hub of the only node.
  func enter(_ call: (HubTime) -> Void) { node.enter { call($1) } }

  /// Calls the hubs of all nodes.
  func enterAll(_ call: (HubTime) -> Void) {
    for node in nodes { node.enter { call($1) } }
  }

  /// Called around each call of a hub: runs all checks.
  private func check(_ called: Node, around call: () -> Void) {
    node = called
    checkTicks()
    call()
    reportFull()
    reportedFull = []
    checkAfterCall()
  }

  /// Runs the next event.
  ///
  /// - Returns: `false` if there is none until `end`, or a violation was found.
  func step(until end: Int64 = .max) -> Bool {
    guard violation == nil, let event = clock.next(until: end) else { return false }
    if case .work = event {
    } else {
      trace?("\(clock.machine) \(clock.session.rfc3339) \(event.shown)")
    }
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
    case .work(let work): work()
    case .clockJump: jump()
    case .background(let number):
      guard let (node, job) = background.removeValue(forKey: number) else { return }
      isBackgroundDone = true
      node.enter { _, _ in job() }
      isBackgroundDone = false
    case .storeFails(let fails):
      database?.isFailing = fails
      lastTrouble = clock.machine
      // Requests that arrive while records are lost must be answered, too.
      if fails { for record in records { read(record) } }
    case .crash: if remainingActs > 0 { crash() }
    case .harm: if remainingActs > 0 { doHarm() }
    case .request: request()
    case .host: actAsHost()
    }
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
    case .act, .clientTimer, .writable, .work, .background, .clockJump, .storeFails, .request,
      .host, .crash, .harm:
      "\(self)"
    }
  }
}
