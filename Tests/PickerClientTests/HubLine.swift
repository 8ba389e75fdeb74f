import CivilTime
import Foundation
import PickerClient
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import SessionLog

/// A real hub with one session and in-memory connections. One lock protects all of it.
final class HubLine: @unchecked Sendable {
  /// Milliseconds since 1970: Friday, 2026-11-20, 12:00 UTC.
  private static let noon: Int64 = 1_795_176_000_000

  private let lock = NSRecursiveLock()
  private let port = Port()
  private let hub: Hub
  private let began = ContinuousClock.now
  private var session = SessionID("")
  private var lineCount: UInt64 = 0
  private(set) var dialCount = 0
  /// Whether new connections fail.
  var isDown = false

  init(_ definition: String) throws {
    hub = Hub(
      HubConfiguration(), port: port, log: MemorySessionLog(), zones: UTCOnly(),
      texts: EnglishOnly(),
      identities: IdentitySource(random: SystemRandomNumberGenerator()) { $0 })
    let request = try CreateRequest(Array(#"{"definition":\#(definition)}"#.utf8))
    hub.begin { [self] host throws(HubProblem) in
      try await host.create(request, socketBase: "ws://here", at: now)
    } answer: { [unowned self] result in
      if case .success(let created) = result { session = created.id }
    }
  }

  private var now: HubTime {
    let (seconds, attoseconds) = began.duration(to: .now).components
    let machine = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    return HubTime(session: Instant(milliseconds: Self.noon + machine), machine: machine)
  }

  /// A connection to the session that has not been started.
  func connection(named name: String) -> PickerConnection {
    let address = SessionAddress("ws://here/v1/sessions/\(session)")!
    return PickerConnection(to: address, as: ClientProfile(name: name), over: Transport(hub: self))
  }

  /// The session's document, as `GET` returns it.
  func document() -> String {
    lock.withLock {
      var text = ""
      hub.begin { [self] host throws(HubProblem) in
        try await host.read(session, token: nil, locale: nil, isFull: false, at: now)
      } answer: { result in
        if case .success(let bytes) = result { text = String(decoding: bytes, as: UTF8.self) }
      }
      return text
    }
  }

  var revision: Int { lock.withLock { hub.session(session)!.fold.revision } }
  var memberNames: [String] {
    lock.withLock { hub.session(session)!.fold.members.values.map(\.name).sorted() }
  }
  var openCount: Int { lock.withLock { port.lines.count } }

  /// Drops all connections with 1006.
  func cut() {
    lock.withLock {
      for raw in port.lines.keys.sorted() { end(raw, code: 1006, reason: "cut") }
    }
  }

  fileprivate func dial(_ line: AsyncStream<SocketEvent>.Continuation) -> UInt64 {
    lock.withLock {
      dialCount += 1
      lineCount += 1
      guard !isDown else {
        line.yield(.closed(code: 1006, reason: "nobody is there"))
        line.finish()
        return lineCount
      }
      port.lines[lineCount] = line
      hub.opened(ConnectionID(raw: lineCount), session: session, bearer: nil, at: now)
      line.yield(.opened)
      return lineCount
    }
  }

  fileprivate func send(_ text: String, on raw: UInt64) {
    lock.withLock {
      guard port.lines[raw] != nil else { return }
      hub.received(ConnectionID(raw: raw), Array(text.utf8).span, at: now)
      for (raw, code, reason) in port.takeCloses() { end(raw, code: code, reason: reason) }
    }
  }

  fileprivate func end(_ raw: UInt64, code: Int, reason: String) {
    lock.withLock {
      guard let line = port.lines.removeValue(forKey: raw) else { return }
      hub.closed(ConnectionID(raw: raw), at: now)
      line.yield(.closed(code: code, reason: reason))
      line.finish()
    }
  }
}

private final class Port: HubPort {
  var lines: [UInt64: AsyncStream<SocketEvent>.Continuation] = [:]
  private var closes: [(UInt64, Int, String)] = []

  func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    guard let line = lines[connection.raw] else { return .gone }
    line.yield(.message(Array(frame.bytes)))
    return .sent
  }

  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    if let last { _ = send(last, to: connection) }
    closes.append((connection.raw, Int(code), reason))
  }

  func takeCloses() -> [(UInt64, Int, String)] {
    defer { closes = [] }
    return closes
  }
}

private struct Transport: SocketTransport {
  let hub: HubLine

  func dial(_ address: SessionAddress) -> any ClientSocket {
    let (events, continuation) = AsyncStream.makeStream(of: SocketEvent.self)
    return Line(events: events, hub: hub, raw: hub.dial(continuation))
  }
}

private struct Line: ClientSocket {
  let events: AsyncStream<SocketEvent>
  let hub: HubLine
  let raw: UInt64

  func send(_ text: String) { hub.send(text, on: raw) }
  func close() { hub.end(raw, code: 1000, reason: "") }
}

private final class EnglishOnly: TextSource {
  func texts(for tag: String) -> (any RowTexts)? { tag == "en" ? EnglishTexts() : nil }
}

private final class UTCOnly: ZoneSource {
  func rules(named name: String) -> ZoneRules? { name == "UTC" ? .utc : nil }
}
