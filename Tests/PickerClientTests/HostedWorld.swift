import CivilTime
import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire

@testable import PickerClient

/// A hub with its own clock and one session, whose host changes it while a member uses the picker.
final class HostedWorld {
  private final class Lines: HubPort {
    var frames: [UInt64: [[UInt8]]] = [:]

    func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
      frames[connection.raw, default: []].append(Array(frame.bytes))
      return .sent
    }

    func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {}
  }

  /// Stores everything immediately.
  private final class Records: SessionLog {
    var origin: SessionOrigin?
    var entries: [LogEntry] = []
    let canLoad = false

    func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
      switch record {
      case .created(let origin, _, _): self.origin = origin
      case .entry(let entry): entries.append(entry)
      case .ended: break
      }
      return .stored
    }

    func feed(_ record: FeedRecord, of session: SessionID) -> Bool { true }
    func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool { true }
    func load(_ session: SessionID, limits: SessionLimits, hub: Int) {}
    func history(
      from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
    ) { completion(nil) }
  }

  private final class UTC: ZoneSource {
    func rules(named name: String) -> ZoneRules? { name == "UTC" ? .utc : nil }
  }

  private final class Languages: TextSource {
    func texts(for tag: String) -> (any RowTexts)? {
      tag == "en" ? EnglishTexts() : tag == "zh-Hans" ? SimplifiedChineseTexts() : nil
    }
  }

  private let lines = Lines()
  private let log = Records()
  private let hub: Hub
  private var session = SessionID("")
  private var lineCount: UInt64 = 0
  private var milliseconds: Int64 = 0
  private(set) var member: ClientMachine
  private let view: (from: PickerMonth, count: Int)

  init(_ definition: String, view: (from: PickerMonth, count: Int)) throws {
    hub = Hub(
      HubConfiguration(), port: lines, log: log, zones: UTC(), texts: Languages(),
      identities: IdentitySource(random: SystemRandomNumberGenerator()) { $0 })
    member = ClientMachine(ClientProfile(name: "Ana", locale: "zh-Hans"))
    self.view = view
    let body = #"{"definition":\#(definition),"ttlSeconds":31536000}"#
    let request = try CreateRequest(Array(body.utf8))
    hub.begin { [self] host throws(HubProblem) in
      try await host.create(request, socketBase: "ws://here", at: now)
    } answer: { [unowned self] result in
      if case .success(let created) = result { session = created.id }
    }
    connect(&member)
  }

  private var now: HubTime {
    let noon = Instant(milliseconds: 1_795_176_000_000)
    return HubTime(session: noon.adding(milliseconds: milliseconds), machine: milliseconds)
  }

  var fold: SessionFold { hub.session(session)!.fold }

  /// The session computed from its log.
  func replayed() throws -> SessionFold {
    var fold = try SessionFold(log.origin!)
    for entry in log.entries { _ = fold.apply(entry) }
    return fold
  }

  /// Lets time pass and runs due ticks.
  func wait(_ span: Int64) {
    milliseconds += span
    hub.timer(at: now)
    receive(&member, 1)
  }

  func give(_ command: PickerCommand) {
    send(member.handle(.command(command), at: milliseconds), 1, &member)
  }

  func change(_ format: DocumentRequest.Format, _ body: String) -> Result<JSONTree, HubProblem>? {
    answered {
      hub.begin(
        { [self] host throws(HubProblem) in
          try await host.change(
            .definition, of: session, request(format, body), token: nil, at: now)
        }, answer: $0)
    }
  }

  func note(_ body: String) -> Result<JSONTree, HubProblem>? {
    answered {
      hub.begin(
        { [self] host throws(HubProblem) in
          try await host.change(
            .notes, of: session, request(.mergePatch, body), token: nil, at: now)
        }, answer: $0)
    }
  }

  private func request(_ format: DocumentRequest.Format, _ body: String) -> DocumentRequest {
    DocumentRequest(format: format, body: Array(body.utf8), versions: nil, valuesMax: .max)
  }

  private func answered(
    _ ask: (@escaping (Result<DocumentAnswer, HubProblem>) -> Void) -> Void
  ) -> Result<JSONTree, HubProblem>? {
    var answer: Result<JSONTree, HubProblem>?
    ask { answer = $0.map { (try? JSONTree.parse($0.body)) ?? .null } }
    receive(&member, 1)
    return answer
  }

  /// The bytes of the snapshot that `GET` returns.
  func snapshot() throws -> String {
    var found: Result<[UInt8], HubProblem>?
    hub.begin { [self] host throws(HubProblem) in
      try await host.read(session, token: nil, locale: "en", isFull: true, at: now)
    } answer: {
      found = $0
    }
    let tree = try JSONTree.parse(found!.get())
    return String(decoding: tree["snapshot"]!.serialized(), as: UTF8.self)
  }

  /// The state of a client that joins now.
  func fresh() -> PickerClient.PickerState {
    var newcomer = ClientMachine(ClientProfile(name: "Ben", locale: "zh-Hans"))
    connect(&newcomer)
    hub.closed(ConnectionID(raw: lineCount), at: now)
    receive(&member, 1)
    return newcomer.state
  }

  private func connect(_ machine: inout ClientMachine) {
    lineCount += 1
    let line = lineCount
    hub.opened(ConnectionID(raw: line), session: session, bearer: nil, at: now)
    _ = machine.handle(.start, at: milliseconds)
    send(machine.handle(.opened, at: milliseconds), line, &machine)
    if machine.state.isCalendar {
      let look = ClientEvent.look(from: view.from, count: view.count)
      send(machine.handle(look, at: milliseconds), line, &machine)
    }
  }

  private func send(_ effects: [ClientEffect], _ line: UInt64, _ machine: inout ClientMachine) {
    for case .send(let text) in effects {
      hub.received(ConnectionID(raw: line), Array(text.utf8).span, at: now)
    }
    receive(&machine, line)
  }

  private func receive(_ machine: inout ClientMachine, _ line: UInt64) {
    while let frames = lines.frames.removeValue(forKey: line) {
      for frame in frames {
        send(machine.handle(.received(frame), at: milliseconds), line, &machine)
      }
    }
  }
}
