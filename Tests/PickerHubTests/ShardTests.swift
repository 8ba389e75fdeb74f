import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// The shared session count of the hubs of a server.
final class TestTotal: SessionTotal {
  var count = 0

  func add(_ count: Int) { self.count += count }

  func take(max: Int) -> Bool {
    guard count < max else { return false }
    count += 1
    return true
  }
}

@Suite struct ShareTests {
  @Test(arguments: [
    ("", [0, 1, 2, 3, 1]), ("a", [0, 0, 1, 5, 0]),
    ("0pUZu3NiI_ZAxUZiWvSdYG", [0, 1, 2, 2, 55]),
  ])
  func `the hub of a session id is the same in every process`(id: String, indices: [Int]) {
    let counts = [1, 2, 3, 7, 64]

    #expect(counts.map { HubShard.index(of: SessionID(id), among: $0) } == indices)
  }

  @Test(arguments: 1...8)
  func `every session id belongs to exactly one hub`(count: Int) {
    let total = TestTotal()
    let shares = (0..<count).map { HubShard(index: $0, of: count, total: total) }

    for number in 0..<500 {
      let id = SessionID("session \(number)")
      #expect(shares.count { $0.has(id) } == 1)
    }
  }

  @Test func `ids and tokens do not look like command line options`() {
    var identities = IdentitySource(random: SystemRandomNumberGenerator()) { $0 }

    for _ in 0..<2_000 { #expect(identities.text().first != "-") }
  }

  @Test func `sessions are spread evenly over hubs`() {
    var identities = IdentitySource(random: SystemRandomNumberGenerator()) { $0 }
    var counts = [0, 0, 0, 0]

    for _ in 0..<20_000 {
      counts[HubShard.index(of: SessionID(identities.text()), among: 4)] += 1
    }

    // Eight standard deviations of the binomial distribution.
    #expect(counts.allSatisfy { abs($0 - 5_000) < 490 }, "\(counts)")
  }

  @Test func `a hub creates sessions of its own shard`() throws {
    for index in 0..<3 {
      let shard = HubShard(index: index, of: 3, total: TestTotal())
      let fixture = try HubFixture(letters, shard: shard)
      for _ in 0..<20 {
        #expect(shard.has(try make(on: fixture)))
      }
    }
  }

  @Test func `a hub loads sessions under its own number`() throws {
    let fixture = try HubFixture(
      letters, shard: HubShard(index: 2, of: 3, total: TestTotal()))
    let dormant = SessionID("dormant")
    fixture.hub.restore(
      [
        DormantSession(
          id: dormant, ttlSeconds: 60, idleMilliseconds: 0, nextTick: nil, hasMembers: false)
      ], at: fixture.now)

    fixture.open(1, session: dormant)

    #expect(fixture.log.loads == [2])
  }

  @Test func `the session limit covers all hubs`() throws {
    let total = TestTotal()
    var configuration = HubConfiguration()
    configuration.limits.sessions = 4
    let hubs = try (0..<2).map {
      try HubFixture(letters, configuration, shard: HubShard(index: $0, of: 2, total: total))
    }

    _ = try make(on: hubs[0])
    let last = try make(on: hubs[1])
    #expect(total.count == 4)
    for fixture in hubs {
      #expect(throws: HubProblem.full(.sessions)) { try make(on: fixture) }
    }
    hubs[1].hub.begin { host throws(HubProblem) in
      try await host.delete(last, token: nil, at: hubs[1].now)
    } answer: { _ in
    }

    #expect(total.count == 3)
    _ = try make(on: hubs[0])
    #expect(throws: HubProblem.full(.sessions)) { try make(on: hubs[1]) }
    #expect(total.count == 4)
  }

  @Test func `a session that cannot be stored is not counted`() throws {
    let total = TestTotal()
    let fixture = try HubFixture(letters, shard: HubShard(index: 0, of: 1, total: total))
    fixture.log.outcome = .failed
    #expect(throws: HubProblem.unavailable) { try make(on: fixture) }
    #expect(total.count == 1)

    fixture.log.outcome = .pending
    let count = fixture.hub.sessionCount
    let body = try request()
    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(body, socketBase: "", at: fixture.now)
    } answer: { _ in
    }
    #expect(total.count == count + 1)
  }

  private func request() throws -> CreateRequest {
    try CreateRequest(Array(#"{"definition":\#(letters)}"#.utf8))
  }

  private func make(on fixture: HubFixture) throws -> SessionID {
    var made: Result<CreatedSession, HubProblem>?
    let body = try request()
    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(body, socketBase: "ws://here", at: fixture.now)
    } answer: {
      made = $0
    }
    return try #require(made).get().id
  }
}
