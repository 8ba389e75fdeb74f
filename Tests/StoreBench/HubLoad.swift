import CivilTime
import Foundation
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import SessionLog

/// A hub with a durable store and without sockets: one member per session with some commands in
/// flight, each sending its next command when one is answered.
final class HubLoad {
  /// Passes the store's notices from its thread to the hub's.
  private final class Mailbox: @unchecked Sendable {
    private let condition = NSCondition()
    private var notices: [StoreNotice] = []

    func post(_ notice: StoreNotice) {
      condition.lock()
      notices.append(notice)
      condition.signal()
      condition.unlock()
    }

    /// Waits for notices and returns them.
    func take() -> [StoreNotice] {
      condition.lock()
      while notices.isEmpty { condition.wait() }
      defer {
        notices = []
        condition.unlock()
      }
      return notices
    }
  }

  private let mailbox = Mailbox()
  private let log: SQLSessionLog
  private let port = LoadPort()
  private let hub: Hub
  private var ids: [SessionID] = []
  private var revisions: [Int] = []

  static func measure(_ settings: BenchSettings, sessionCount: Int) throws -> Measured {
    let load = try HubLoad(settings)
    try load.begin(sessionCount)
    let measured = load.run(seconds: settings.seconds, inFlight: settings.inFlight)
    load.log.flush()
    return measured
  }

  private init(_ settings: BenchSettings) throws {
    let mailbox = self.mailbox
    var store = SQLSessionLog.Settings(zone: { _ in nil }, digest: { $0 }) { mailbox.post($0) }
    store.afterIteration = { mailbox.post(.runInHub(0, $0)) }
    log =
      if let database = settings.database {
        try SQLSessionLog(database: PostgresAddress(database), store)
      } else {
        try SQLSessionLog(file: settings.newStore(), store)
      }
    var limits = ServerLimits()
    limits.messagesPerSecond = .max / 100
    hub = Hub(
      HubConfiguration(limits: limits), port: port, log: log, zones: NoZones(),
      texts: NoTexts(),
      identities: IdentitySource(random: SystemRandomNumberGenerator(), digest: { $0 }))
  }

  private var now: HubTime {
    HubTime(
      session: Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)),
      machine: Int64(secondsNow() * 1000))
  }

  private func receive() {
    for notice in mailbox.take() {
      switch notice {
      case .committed(let parts):
        for part in parts { hub.committed(part.count, of: part.session, at: now) }
      case .run(_, let work): work()
      case .orphaned, .stopped: break
      case .lost, .refused, .taken, .loaded, .runInHub, .shared, .inventory, .offered, .message:
        fatalError("the store has failed: \(notice)")
      }
    }
  }

  /// Creates the sessions and joins a member to each.
  private func begin(_ count: Int) throws {
    let request = try CreateRequest(Array(BenchPicker.creation.utf8))
    for _ in 0..<count {
      hub.begin { [self] host throws(HubProblem) in
        try await host.create(request, socketBase: "ws://bench", at: now)
      } answer: { [unowned self] in
        guard case .success(let created) = $0 else { fatalError("no session: \($0)") }
        ids.append(created.id)
      }
    }
    while ids.count < count { receive() }
    for (number, id) in ids.enumerated() {
      let connection = ConnectionID(raw: UInt64(number))
      hub.opened(connection, session: id, bearer: nil, at: now)
      hub.received(connection, Array(#"{"type":"join","name":"Ana"}"#.utf8).span, at: now)
    }
    while port.welcomeCount < count { receive() }
    revisions = Array(repeating: 0, count: count)
  }

  private func run(seconds: Double, inFlight: Int) -> Measured {
    let own = processorSeconds()
    let (batches, records) = (log.batchCount, log.figures.batchRecords.sum)
    let begun = secondsNow()
    // The answers of a session come in the order of its commands.
    var sent = Array(repeating: Array(repeating: begun, count: inFlight), count: ids.count)
    var answers = Array(repeating: 0, count: ids.count)
    var latencies: [Double] = []
    for number in ids.indices { for _ in 0..<inFlight { command(number) } }
    while secondsNow() - begun < seconds {
      receive()
      let answered = port.takeAnswered()
      let now = secondsNow()
      for number in answered {
        let place = answers[number] % inFlight
        latencies.append((now - sent[number][place]) * 1000)
        sent[number][place] = now
        answers[number] += 1
        command(number)
      }
    }
    let took = secondsNow() - begun
    return Measured(
      count: latencies.count, seconds: took, latencies: latencies.sorted(),
      ownSeconds: processorSeconds() - own, batchCount: log.batchCount - batches,
      recordCount: Int(log.figures.batchRecords.sum - records))
  }

  private func command(_ number: Int) {
    revisions[number] += 1
    let text = BenchPicker.command(ref: revisions[number])
    hub.received(ConnectionID(raw: UInt64(number)), text.span, at: now)
  }
}

/// Connections that accept all frames and record which commands were answered.
private final class LoadPort: HubPort {
  private(set) var welcomeCount = 0
  private var answered: [Int] = []

  func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    if BenchPicker.isAnswer(frame.bytes) {
      answered.append(Int(connection.raw))
    } else if BenchPicker.isWelcome(frame.bytes) {
      welcomeCount += 1
    }
    return .sent
  }

  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    fatalError("closed with \(code): \(reason)")
  }

  func takeAnswered() -> [Int] {
    defer { answered = [] }
    return answered
  }
}

private final class NoZones: ZoneSource {
  func rules(named name: String) -> ZoneRules? { nil }
}

private final class NoTexts: TextSource {
  func texts(for tag: String) -> (any RowTexts)? { nil }
}
