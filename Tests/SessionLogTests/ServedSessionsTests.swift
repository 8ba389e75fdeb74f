import CivilTime
import Foundation
import PickerHub
import PickerSession
import Testing

@testable import SessionLog

/// Which entries each node reports to its hub, and in which order.
@Suite struct ServedSessionsTests {
  private let session = SessionID("s")

  private func served() -> ServedSessions {
    var served = ServedSessions()
    served.beginLoad(session, hub: 0)
    _ = served.loaded(session, position: 0, epoch: "e")
    return served
  }

  private func entry(_ number: Int) -> LogEntry {
    LogEntry(at: Instant(milliseconds: Int64(number)), body: .tick)
  }

  private func numbers(_ report: ServedSessions.Report) -> [String] {
    report.committed.flatMap { _, records -> [String] in
      switch records {
      case .own(let count): return Array(repeating: "own", count: count)
      case .mixed(let records):
        return records.map {
          guard case .foreign(let entry) = $0 else { return "own" }
          return "\(entry.at.milliseconds)"
        }
      }
    }
  }

  @Test func `entries that arrive with notifications are not read`() {
    var served = served()
    #expect(
      numbers(served.received([(1, entry(1)), (2, entry(2))], epoch: "e", of: session))
        == ["1", "2"])
    served.noted(2, of: session)
    #expect(served.gaps().isEmpty)

    #expect(numbers(served.received([(4, entry(4))], epoch: "e", of: session)).isEmpty)
    served.noted(4, of: session)
    #expect(served.gaps().map(\.position) == [2], "the third is missing")
    #expect(numbers(served.received([(3, entry(3))], epoch: "e", of: session)) == ["3", "4"])
    #expect(served.gaps().isEmpty)
  }

  @Test func `entries of another epoch, and repeated ones, are ignored`() {
    var served = served()
    #expect(numbers(served.received([(1, entry(1))], epoch: "before", of: session)).isEmpty)
    #expect(numbers(served.received([(1, entry(1))], epoch: "e", of: session)) == ["1"])
    #expect(numbers(served.received([(1, entry(1))], epoch: "e", of: session)).isEmpty)
    #expect(numbers(served.received([(1, entry(1))], epoch: "e", of: SessionID("t"))).isEmpty)
  }

  @Test func `entries that wait for those before them have a maximum`() {
    var served = served()
    let entries = (2...1000).map { ($0, entry($0)) }
    _ = served.received(entries, epoch: "e", of: session)
    served.noted(1000, of: session)

    #expect(served.sessions[session]?.early.count == ServedSessions.Session.earlyCountMax)
    #expect(served.gaps().map(\.last) == [1000])
  }

  /// Regression: the gap was never read.
  @Test func `a batch from before a load does not keep a gap from being read`() {
    var served = served()
    let records: [StoreRecord] = [.log(.entry(entry(1)), session)]
    served.remove(session)
    served.beginLoad(session, hub: 0)
    let expected = served.expectations(of: records)
    _ = served.committed(
      records,
      PostgresWriter.Result(
        byteCounts: [session: 1], bases: [:], refused: [], lost: [], living: [],
        heads: [:], shared: [:], feedPosition: nil, hasEnded: false, batch: 1),
      expected: expected, serial: 1)
    _ = served.loaded(session, position: 0, epoch: "e")
    served.noted(1, of: session)

    #expect(served.gaps().map(\.last) == [1])
  }

  @Test func `a gap that may be the own batch is read when a session must catch up`() {
    var served = served()
    _ = served.expectations(of: [.log(.entry(entry(1)), session)])
    served.noted(1, of: session)

    #expect(served.gaps().isEmpty)
    #expect(served.gaps(catchingUp: [session]).map(\.last) == [1])
  }

  /// Nodes append, commit, and learn of each other's entries in any order; notifications and the
  /// entries in them may be lost.
  @Test(arguments: 0..<300)
  func `every node reports every entry once, in the order of the log`(seed: UInt64) {
    var random = SplitMix(state: seed)
    var log: [(node: Int, serial: Int, entry: LogEntry)] = []
    var nodes = (0..<3).map { _ in TestedNode(served: served()) }
    var count = 0

    func apply(_ report: ServedSessions.Report, at node: Int) {
      #expect(report.lost.isEmpty, "seed \(seed)")
      for number in numbers(report) {
        nodes[node].view.append(number == "own" ? nodes[node].own.removeFirst() : number)
      }
    }

    func read(at node: Int) {
      for gap in nodes[node].served.gaps() {
        let rows = (gap.position..<min(gap.last, log.count)).map { place in
          let row = log[place]
          return row.node == node
            ? ServedSessions.Row(sequence: place + 1, ownSerial: row.serial, entry: nil)
            : ServedSessions.Row(sequence: place + 1, ownSerial: nil, entry: row.entry)
        }
        let page = ServedSessions.Page(gap: gap, epoch: "e", isComplete: true, rows: rows)
        apply(nodes[node].served.read(page), at: node)
      }
    }

    /// The next step of a node's batch: it begins, is committed, has an outcome.
    func advance(_ node: Int) {
      switch (nodes[node].batch.isEmpty, nodes[node].base) {
      case (true, _):
        let size = Int.random(in: 1...4, using: &random)
        nodes[node].batch = Array(nodes[node].waiting.prefix(size))
        nodes[node].waiting.removeFirst(nodes[node].batch.count)
        nodes[node].expected = nodes[node].served.expectations(of: nodes[node].records(session))
      case (false, nil):
        nodes[node].base = log.count
        for entry in nodes[node].batch {
          nodes[node].serial += 1
          log.append((node, nodes[node].serial, entry))
        }
      case (false, let base?):
        let (batch, records) = (nodes[node].batch, nodes[node].records(session))
        let result = PostgresWriter.Result(
          byteCounts: [session: 1], bases: [session: base], refused: [], lost: [],
          living: [], heads: [session: base + batch.count], shared: [:], feedPosition: nil,
          hasEnded: false, batch: 1)
        let report = nodes[node].served.committed(
          records, result, expected: nodes[node].expected, serial: nodes[node].serial)
        (nodes[node].batch, nodes[node].base) = ([], nil)
        apply(report, at: node)
        for other in nodes.indices where other != node {
          let entries = batch.enumerated().map {
            (sequence: base + 1 + $0.offset, entry: $0.element)
          }
          nodes[other].inbox.append((entries, base + batch.count))
        }
      }
    }

    for step in 0..<400 {
      let node = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0...1 where step < 300:
        count += 1
        nodes[node].waiting.append(entry(count))
        nodes[node].own.append("\(count)")
      case 2...4: if !nodes[node].batch.isEmpty || !nodes[node].waiting.isEmpty { advance(node) }
      case 5, 6:
        guard let place = nodes[node].inbox.indices.randomElement(using: &random) else { continue }
        let (entries, head) = nodes[node].inbox.remove(at: place)
        if Int.random(in: 0..<5, using: &random) > 0 {
          apply(nodes[node].served.received(entries, epoch: "e", of: session), at: node)
        }
        if Int.random(in: 0..<10, using: &random) > 0 {
          nodes[node].served.noted(head, of: session)
        }
      default: read(at: node)
      }
    }
    for node in nodes.indices {
      while !nodes[node].batch.isEmpty || !nodes[node].waiting.isEmpty { advance(node) }
    }
    for node in nodes.indices {
      nodes[node].served.noted(log.count, of: session)
      read(at: node)
      #expect(nodes[node].view == log.map { "\($0.entry.at.milliseconds)" }, "seed \(seed)")
      #expect(nodes[node].own.isEmpty && nodes[node].served.sessions[session]?.early == [:])
    }
  }
}

/// A node with one session, and what its hub has seen.
private struct TestedNode {
  var served: ServedSessions
  var waiting: [LogEntry] = []
  var own: [String] = []
  var batch: [LogEntry] = []
  /// The number of entries before the batch once it is committed.
  var base: Int?
  var expected: [SessionID: ServedSessions.Expectation] = [:]
  var serial = 0
  var inbox: [(entries: [(sequence: Int, entry: LogEntry)], head: Int)] = []
  var view: [String] = []

  func records(_ session: SessionID) -> [StoreRecord] {
    batch.map { .log(.entry($0), session) }
  }
}
