import CivilTime
import Dispatch
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire

/// A hub with sessions of one kind, whose sockets accept and whose log discards everything.
final class BenchHub {
  let hub: Hub
  private let kind: BenchKind
  private let port = BenchPort()
  private let log = BenchLog()
  private(set) var sessions: [SessionID] = []
  private var refs: [Int] = []
  private var turn = 0
  private var connectionCount: UInt64 = 0
  private var changeCount: Int64 = 0

  /// Friday, 2026-11-20, 12:00 in UTC.
  static let time = HubTime(session: Instant(rfc3339: "2026-11-20T12:00:00Z".utf8)!, machine: 0)

  init(_ kind: BenchKind) {
    self.kind = kind
    var limits = ServerLimits()
    limits.messagesPerSecond = .max / 100
    hub = Hub(
      HubConfiguration(limits: limits), port: port, log: log, zones: NoZones(), texts: NoTexts(),
      identities: IdentitySource(random: SystemRandomNumberGenerator(), digest: { $0 }))
  }

  /// Creates sessions without members.
  func create(_ count: Int) throws {
    let request = try CreateRequest(Array(#"{"definition":\#(kind.definition)}"#.utf8))
    for _ in 0..<count {
      hub.begin { [self] host throws(HubProblem) in
        try await host.create(request, socketBase: "ws://bench", at: BenchHub.time)
      } answer: { [unowned self] in
        guard case .success(let created) = $0 else { fatalError("no session: \($0)") }
        sessions.append(created.id)
      }
    }
  }

  /// Joins a member to each session.
  func join() {
    for id in sessions {
      open(id)
      refs.append(0)
    }
  }

  /// Opens a connection and joins.
  @discardableResult
  private func open(_ session: SessionID) -> ConnectionID {
    let connection = ConnectionID(raw: connectionCount)
    connectionCount += 1
    hub.opened(connection, session: session, bearer: nil, at: BenchHub.time)
    let text = Array(#"{"type":"join","name":"Ana"\#(kind.join)}"#.utf8)
    hub.received(connection, text.span, at: BenchHub.time)
    return connection
  }

  /// The next taps of the first session's member, as received from the socket.
  func taps(_ count: Int) -> [[UInt8]] {
    (0..<count).map { _ in
      refs[0] += 1
      turn += 1
      let tap = kind.taps[turn % kind.taps.count]
      let parts = tap.utf8.split(separator: UInt8(ascii: "@"))
      return Array(parts[0]) + Array("\(refs[0])".utf8) + Array(parts[1])
    }
  }

  /// Sends taps, each of which must produce a delta.
  func give(_ taps: [[UInt8]]) {
    let before = hub.counters.deltas
    let connection = ConnectionID(raw: 0)
    for tap in taps { hub.received(connection, tap.span, at: BenchHub.time) }
    precondition(hub.counters.deltas == before + taps.count, "a tap changed nothing")
  }

  /// Joins the first session with a new member, who leaves it.
  func joinAndLeave() {
    let connection = open(sessions[0])
    let text = Array(#"{"type":"leave"}"#.utf8)
    hub.received(connection, text.span, at: BenchHub.time)
    hub.closed(connection, at: BenchHub.time)
  }

  /// Returns a function that replaces the definition of the first session by another one.
  func put(_ definition: String) -> () -> Void {
    let request = request(.whole, definition)
    return { [unowned self] in
      hub.begin(
        { [self] host throws(HubProblem) in
          try await host.change(.definition, of: sessions[0], request, token: nil, at: nextChange())
        }, answer: mustChange)
    }
  }

  /// Returns a function that changes the notes of the first session.
  func patchNotes(_ notes: String) -> () -> Void {
    let request = request(.mergePatch, notes)
    return { [unowned self] in
      hub.begin(
        { [self] host throws(HubProblem) in
          try await host.change(.notes, of: sessions[0], request, token: nil, at: nextChange())
        }, answer: mustChange)
    }
  }

  private func request(_ format: DocumentRequest.Format, _ text: String) -> DocumentRequest {
    return DocumentRequest(
      format: format, body: Array(text.utf8), versions: nil, valuesMax: .max)
  }

  /// The time of the next change, so late that the rate of changes is not exceeded.
  private func nextChange() -> HubTime {
    changeCount += 1
    return HubTime(session: BenchHub.time.session, machine: 100 * changeCount)
  }

  private func mustChange(_ result: Result<DocumentAnswer, HubProblem>) {
    // The answer to a change without effect is shorter.
    guard case .success(let answer) = result, answer.body.count > 100 else {
      fatalError("a change changed nothing: \(result)")
    }
  }

  func read(isFull: Bool) {
    hub.begin { [self] host throws(HubProblem) in
      try await host.read(sessions[0], token: nil, locale: nil, isFull: isFull, at: BenchHub.time)
    } answer: {
      guard case .success = $0 else { fatalError("not read: \($0)") }
    }
  }

  func readNotes() {
    hub.begin { [self] host throws(HubProblem) in
      try await host.read(.notes, of: sessions[0], token: nil, at: BenchHub.time)
    } answer: {
      guard case .success = $0 else { fatalError("not read: \($0)") }
    }
  }

  /// The first session and its member.
  var session: Session { hub.session(sessions[0])! }
}

private final class BenchPort: HubPort {
  func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome { .sent }
  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    if code != 1000 { fatalError("closed with \(code): \(reason)") }
  }

  private let background = DispatchQueue(label: "background")

  /// Runs the work on another thread, whose allocations are not counted.
  func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void
  ) {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var value: Value?
    background.async {
      value = work()
      done.signal()
    }
    done.wait()
    if let value { then(value) }
  }
}

private final class BenchLog: SessionLog {
  let canLoad = false
  func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome { .stored }
  func feed(_ record: FeedRecord, of session: SessionID) -> Bool { true }
  func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool { true }
  func load(_ session: SessionID, limits: SessionLimits, hub: Int) {}
  func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) { completion(nil) }
}

private final class NoZones: ZoneSource {
  func rules(named name: String) -> ZoneRules? { nil }
}

private final class NoTexts: TextSource {
  func texts(for tag: String) -> (any RowTexts)? { nil }
}
