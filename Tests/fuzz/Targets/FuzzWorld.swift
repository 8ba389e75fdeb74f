import CivilTime
import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire

/// A hub with a log, four connections and its clocks.
final class FuzzWorld {
  private(set) var hub: Hub!
  let log: FuzzLog
  let limits: ServerLimits
  private(set) var sessions: [CreatedSession] = []
  /// The tokens of all sessions.
  private(set) var tokens: [String] = []
  private(set) var connections: [FuzzConnection?] = Array(repeating: nil, count: 4)
  private var openedCount: UInt64 = 0
  private(set) var frameCount = 0
  /// Milliseconds since the start.
  private(set) var machine: Int64 = 0
  /// The offset of the sessions' clock in milliseconds.
  private var offset: Int64 = 0
  /// Members that were added over HTTP.
  var posting: [(id: String, secret: String)] = []
  /// The number of pending requests.
  private(set) var waitingCount = 0
  private(set) var failure: FuzzFailure?

  static let sessionCountMax = 3

  /// - Parameter flags: 1: tokens; 2: deferred storing; 4: sessions are evicted; 8: memory for two
  ///   sessions.
  init(_ flags: Int) {
    log = FuzzLog(isLate: flags & 2 != 0, canLoad: flags & 4 != 0)
    limits = FuzzWorld.limits(sessionsBytes: flags & 8 == 0 ? .max : 12_000)
    var definitionLimits = DefinitionLimits()
    definitionLimits.nodesMax = 200
    hub = Hub(
      HubConfiguration(
        authentication: flags & 1 != 0 ? .token : .open, limits: limits,
        definitionLimits: definitionLimits),
      port: self, log: log, zones: FuzzSources(), texts: FuzzSources(),
      identities: IdentitySource(random: CountedNumbers(), digest: { $0 }))
  }

  /// Limits small enough for an input to reach.
  private static func limits(sessionsBytes: Int) -> ServerLimits {
    var limits = ServerLimits()
    limits.sessionsBytes = sessionsBytes
    limits.session.members = 4
    limits.session.history = 6
    limits.session.refs = 4
    limits.session.undo = 3
    limits.session.months = 3
    limits.session.windowRows = 5
    limits.sessions = FuzzWorld.sessionCountMax
    limits.messagesPerSecond = 20
    limits.outboxBytes = 2_000
    limits.outboxMessages = 10
    return limits
  }

  var now: HubTime {
    HubTime(
      session: DefinitionsTarget.noon.adding(milliseconds: machine + offset), machine: machine)
  }

  func fail(_ sentence: String) { failure = failure ?? FuzzFailure(sentence) }

  /// A completion that must be called exactly once.
  func answer<Value>(_ body: @escaping (Value) -> Void = { _ in }) -> (Value) -> Void {
    waitingCount += 1
    var isAnswered = false
    return { [unowned self] value in
      if isAnswered { fail("a request is answered once") }
      isAnswered = true
      waitingCount -= 1
      body(value)
    }
  }

  /// The hub and its port retain each other.
  func end() { hub = nil }

  // MARK: Connections

  func connect(_ slot: Int, to session: SessionID, token: String?) {
    drop(slot)
    let connection = open(slot, isWatching: false)
    hub.opened(connection.id, session: session, bearer: token, at: now)
  }

  private func open(_ slot: Int, isWatching: Bool) -> FuzzConnection {
    openedCount += 1
    let id = ConnectionID(raw: openedCount << 32 | UInt64(slot))
    let connection = FuzzConnection(id, isWatching: isWatching)
    connections[slot] = connection
    return connection
  }

  func watch(_ slot: Int, _ session: SessionID, _ request: WatchRequest) {
    drop(slot)
    let isOpened: (Result<String, HubProblem>) -> Void = answer()
    hub.watch(session, request, at: now) { [unowned self] result in
      isOpened(result)
      guard case .success = result, connections[slot] == nil else { return nil }
      return open(slot, isWatching: true).id
    }
  }

  /// Closes the connection.
  func drop(_ slot: Int) {
    guard let connection = connections[slot] else { return }
    connections[slot] = nil
    frameCount += connection.frameCount
    failure = failure ?? connection.failure
    hub.closed(connection.id, at: now)
  }

  func note(_ created: CreatedSession) {
    sessions.append(created)
    let body = try? JSONTree.parse(created.body)
    tokens += body?["tokens"]?.members?.compactMap(\.value.string) ?? []
  }

  // MARK: Time

  /// Advances the time and fires the hub's timers when they are due.
  func pass(_ milliseconds: Int64) {
    let end = machine + milliseconds
    var count = 0
    while let due = hub.nextTimer(at: now, clockRuns: true), due <= end {
      machine = max(machine, due)
      hub.timer(at: now)
      count += 1
      if count > 20_000 { return fail("the timer does not come to rest") }
    }
    machine = end
  }

  func setClock(by milliseconds: Int64) {
    offset += milliseconds
    let isDone: (Bool) -> Void = answer()
    hub.clockSet(at: now) { isDone(true) }
  }

  func finishLoad() {
    guard let (session, loaded) = log.finishLoad(limits.session) else { return }
    hub.loaded(session, loaded.map { .found($0) } ?? .unavailable, at: now)
  }
}

extension FuzzWorld: HubPort {
  private func connection(_ id: ConnectionID) -> FuzzConnection? {
    connections.lazy.compactMap { $0 }.first { $0.id == id }
  }

  func send(_ frame: Frame, to id: ConnectionID) -> SendOutcome {
    guard let connection = connection(id) else {
      fail("nothing is sent to a connection that is gone")
      return .gone
    }
    return connection.take(frame)
  }

  func close(_ id: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    guard let connection = connection(id) else {
      return fail("a connection that is gone is not closed")
    }
    connection.close(code, reason, last)
  }
}

/// Zones and texts.
private final class FuzzSources: ZoneSource, TextSource {
  func rules(named name: String) -> ZoneRules? { FuzzZones.named(name) }

  func texts(for tag: String) -> (any RowTexts)? {
    switch tag {
    case "en": EnglishTexts()
    case "zh-Hans": SimplifiedChineseTexts()
    default: nil
    }
  }
}

/// A deterministic generator without repetitions.
private struct CountedNumbers: RandomNumberGenerator {
  private var count: UInt64 = 0

  mutating func next() -> UInt64 {
    count &+= 0x9E37_79B9_7F4A_7C15
    return count
  }
}
