import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// A definition that takes much more memory than a session without one.
let largeList = list(300, "a")
/// Another one, of the same size.
let otherLargeList = list(300, "b")

private func list(_ count: Int, _ letter: String) -> String {
  let rows = (0..<count).map { "\"\(letter) row with a long text \($0)\"" }
  return #"{"kind":"columns","columns":[[\#(rows.joined(separator: ","))]]}"#
}

/// A configuration with a limit of the memory of all sessions.
func limited(_ byteCountMax: Int) -> HubConfiguration {
  var configuration = HubConfiguration()
  configuration.limits.sessionsBytes = byteCountMax
  return configuration
}

extension HubFixture {
  var sessionsBytes: Int { hub.contents.sessionsBytes }

  /// Creates another session.
  @discardableResult
  func create(_ definition: String) throws -> HubProblem? {
    var problem: HubProblem?
    let request = try CreateRequest(Array(#"{"definition":\#(definition)}"#.utf8))
    hub.begin { [self] host throws(HubProblem) in
      try await host.create(request, socketBase: "", at: now)
    } answer: {
      if case .failure(let failure) = $0 { problem = failure }
    }
    return problem
  }

  func delete(_ id: SessionID) {
    hub.begin { [self] host throws(HubProblem) in
      try await host.delete(id, token: nil, at: now)
    } answer: { _ in
    }
  }

  /// Reads a session.
  ///
  /// - Returns: A function that returns the problem of the answer.
  func read(_ id: SessionID) -> () -> HubProblem? {
    var problem: HubProblem?
    hub.begin { [self] host throws(HubProblem) in
      try await host.read(id, token: nil, locale: nil, isFull: false, at: now)
    } answer: {
      if case .failure(let failure) = $0 { problem = failure }
    }
    return { problem }
  }
}

/// The memory of the sessions of a hub after `change`.
private func byteCount(
  _ definition: String = letters, _ change: (HubFixture) throws -> Void = { _ in }
) throws -> Int {
  let fixture = try HubFixture(definition)
  try change(fixture)
  return fixture.sessionsBytes
}

private func definition(_ document: String) throws -> Definition {
  try Definition.make(from: .parse(Array(document.utf8))) { _ in .utc }
}

/// The limit of the memory of all sessions, `sessionsBytes`, and what counts.
@Suite struct SessionMemoryTests {
  @Test func `a session is created at the limit of memory and refused one byte over it`() throws {
    let size = try byteCount(largeList)

    let atLimit = try HubFixture(largeList, limited(size))
    let over = try HubFixture(largeList, limited(size - 1))

    #expect(atLimit.hub.sessionCount == 1 && atLimit.sessionsBytes == size)
    #expect(over.hub.sessionCount == 0 && over.sessionsBytes == 0)
    #expect(try over.create(largeList) == .full(.sessionsBytes))
  }

  @Test func `sessions with equal definitions count them once`() throws {
    let size = try byteCount(largeList)
    let (small, one) = (try byteCount(), try byteCount { try $0.create(largeList) })

    let equal = try byteCount(largeList) { try $0.create(largeList) }
    let different = try byteCount(largeList) { try $0.create(otherLargeList) }

    #expect(one == small + size)
    #expect(equal < size + small && different == 2 * size)
  }

  @Test func `a refused creation releases its external id`() throws {
    let fixture = try HubFixture(letters, limited(try byteCount() + 100))
    let request = try CreateRequest(
      Array(#"{"definition":\#(letters),"external":"order 1"}"#.utf8))
    var outcomes: [String] = []
    for limit in [0, Int.max] {
      fixture.hub.change(limited(limit).limits)
      fixture.hub.begin { host throws(HubProblem) in
        try await host.create(request, socketBase: "", at: fixture.now)
      } answer: { result in
        switch result {
        case .success: outcomes.append("created")
        case .failure(let problem): outcomes.append("\(problem)")
        }
      }
    }

    #expect(outcomes == ["full(PickerHub.CreationLimit.sessionsBytes)", "created"])
  }

  @Test func `a definition is changed at the limit of memory and refused one over it`() throws {
    let size = try byteCount() + definition(largeList).byteCount

    let atLimit = try HubFixture(letters, limited(size))
    let over = try HubFixture(letters, limited(size - 1))

    #expect(try atLimit.put(largeList)?.get()["version"]?.integer == 2)
    #expect(throws: HubProblem.full(.sessionsBytes)) { try over.put(largeList)?.get() }
    #expect(over.fold.version == 1 && over.sessionsBytes < size / 2)
    #expect(over.log.records.count == 1, "only the creation is logged")
  }

  @Test func `the definitions of the creation, of now and of the history count`() throws {
    var configuration = HubConfiguration()
    configuration.limits.session.history = 0
    let size = try byteCount(largeList)
    let fixture = try HubFixture(largeList, configuration)

    _ = try fixture.put(otherLargeList)?.get()
    let changed = fixture.sessionsBytes
    fixture.wait(1000)
    _ = try fixture.put(letters)?.get()
    // What it stores counts while it is in memory.
    fixture.log.records = []
    let small = fixture.sessionsBytes

    #expect(changed == size + (try definition(otherLargeList)).byteCount)
    #expect(small == size + (try definition(letters)).byteCount)
    #expect(try byteCount(largeList) { _ = try $0.put(otherLargeList)?.get() } > changed)
  }

  @Test func `notes count, and are refused at the limit of memory`() throws {
    let fixture = try HubFixture(letters)
    let before = fixture.sessionsBytes
    _ = try fixture.note(#"{"columns":{"0":{"a":{"text":"€ 120"}}}}"#)?.get()
    let after = fixture.sessionsBytes
    // Without the history, which is dropped to make room.
    fixture.hub.change(limited(before).limits)
    fixture.wait(1000)

    #expect(after > before)
    #expect(throws: HubProblem.full(.sessionsBytes)) {
      try fixture.note(#"{"columns":{"0":{"b":{"text":"€ 121"}}}}"#)?.get()
    }
    #expect(fixture.fold.notes.rowCount == 1)
  }

  @Test func `members join, tap and leave at the limit of memory`() throws {
    let fixture = try HubFixture(letters, limited(try byteCount()))
    fixture.join(1)
    fixture.join(2)

    fixture.send(1, select(1, 0, 1))
    fixture.send(2, #"{"type":"leave"}"#)

    #expect(fixture.types(1).contains("delta") && fixture.fold.revision == 1)
    #expect(fixture.fold.members.count == 1 && fixture.port.closes == [2: 1000])
  }

  @Test func `members and deltas count`() throws {
    let fixture = try HubFixture(letters)
    let empty = fixture.sessionsBytes
    fixture.join(1)
    let joined = fixture.sessionsBytes
    for ref in 1...64 {
      fixture.wait(100)
      fixture.send(1, select(ref, 0, ref % 3))
    }

    #expect(joined > empty && fixture.sessionsBytes >= joined + 60 * 512)
  }

  @Test(arguments: [AppendOutcome.stored, .pending, .failed])
  func `nothing is counted when the last session is gone`(outcome: AppendOutcome) throws {
    let fixture = try HubFixture(largeList, canLoad: true)
    fixture.join(1)
    _ = fixture.put(otherLargeList)
    fixture.send(1, select(1, 0, 1))
    _ = fixture.note(#"{"columns":{"0":{"a":{"text":"€ 120"}}}}"#)
    fixture.log.outcome = outcome
    try fixture.create(letters)
    if outcome == .pending {
      let pending = try #require(fixture.log.lastCreated)
      fixture.hub.lost([pending], at: fixture.now)
    }
    fixture.log.outcome = .stored
    #expect(fixture.sessionsBytes > 0)

    while let id = fixture.hub.directory.hostedInOrder.first?.id { fixture.delete(id) }
    // What it stores counts while it is in memory.
    fixture.log.records = []

    #expect(fixture.hub.sessionCount == 0 && fixture.sessionsBytes == 0)
  }

  @Test func `the hubs of a server share the limit`() throws {
    let memory = TestMemory()
    let size = try byteCount()
    let hubs = try (0..<2).map { index in
      try HubFixture(
        letters, limited(2 * size),
        shard: HubShard(index: index, of: 2, total: TestTotal(), memory: memory))
    }

    #expect(memory.byteCount == 2 * size)
    for fixture in hubs { #expect(try fixture.create(letters) == .full(.sessionsBytes)) }
  }
}

/// The shared memory count of the hubs of a server.
private final class TestMemory: SessionMemory, @unchecked Sendable {
  private(set) var byteCount = 0
  var refusedByteCount = 0
  var byteCountMax = 0

  func add(_ byteCount: Int) { self.byteCount += byteCount }
}
