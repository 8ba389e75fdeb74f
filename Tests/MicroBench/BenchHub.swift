import CivilTime
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
      hub.create(request, socketBase: "ws://bench", at: BenchHub.time) { [unowned self] in
        guard case .success(let created) = $0 else { fatalError("no session: \($0)") }
        sessions.append(created.id)
      }
    }
  }

  /// Joins a member to each session.
  func join() {
    for id in sessions {
      let connection = ConnectionID(raw: UInt64(refs.count))
      hub.opened(connection, session: id, bearer: nil, at: BenchHub.time)
      let text = Array(#"{"type":"join","name":"Ana"\#(kind.join)}"#.utf8)
      hub.received(connection, text.span, at: BenchHub.time)
      refs.append(0)
    }
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

  /// The first session and its member.
  var session: Session { hub.session(sessions[0])! }
}

private final class BenchPort: HubPort {
  func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome { .sent }
  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    fatalError("closed with \(code): \(reason)")
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
