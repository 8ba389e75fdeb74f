import Foundation
import Synchronization
import Testing

@testable import SessionLog

/// Readers that wait for the feed have one timer.
@Suite struct FeedSignalTests {
  private let all = FeedRequest(after: 0, types: nil, countMax: 1)

  @Test(.timeLimit(.minutes(10)))
  func `readers are resumed after their own times, also one that waits again`() async {
    let signal = FeedSignal()
    let begun = ContinuousClock.now
    let early = Mutex<[String]>([])
    let resumed = Mutex<[String]>([])
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      @Sendable func wait(
        _ name: String, _ milliseconds: Int, after start: ContinuousClock.Instant,
        then: @escaping @Sendable () -> Void = {}
      ) {
        let due = start + .milliseconds(milliseconds)
        signal.wait(for: all, milliseconds: milliseconds) {
          if ContinuousClock.now < due { early.withLock { $0.append(name) } }
          let count = resumed.withLock { names -> Int in
            names.append(name)
            return names.count
          }
          then()
          if count == 3 { done.resume() }
        }
      }
      wait("hour", 3_600_000, after: begun)
      wait("last", 200, after: begun)
      wait("first", 50, after: begun) { wait("again", 50, after: ContinuousClock.now) }
    }

    #expect(early.withLock { $0 } == [])
    #expect(Set(resumed.withLock { $0 }) == ["first", "again", "last"])
    #expect(signal.waiterCount == 1, "the one of an hour")
    signal.advance(FeedNews(position: 1))
    #expect(signal.waiterCount == 0)
  }

  @Test func `an event resumes all readers, and their deadlines do nothing`() async throws {
    let signal = FeedSignal()
    let count = Mutex(0)
    for _ in 0..<3 {
      signal.wait(for: all, milliseconds: 50) { count.withLock { $0 += 1 } }
    }
    signal.advance(FeedNews(position: 1))
    #expect(count.withLock { $0 } == 3)

    signal.wait(for: all, milliseconds: 50) { count.withLock { $0 += 1 } }
    try await Task.sleep(for: .milliseconds(150))

    #expect(count.withLock { $0 } == 4, "there is an event after 0 already")
    #expect(signal.waiterCount == 0)
  }

  @Test func `an event resumes the readers that have requested one of its type and namespace`() {
    let signal = FeedSignal()
    let resumed = Mutex<[String]>([])
    for (name, types, namespace) in [
      ("all", nil, nil), ("ended", ["session.ended"], nil), ("shop", nil, "shop"),
      ("created in shop", ["session.created"], "shop"),
    ] as [(String, [String]?, String?)] {
      signal.wait(
        for: FeedRequest(after: 0, types: types, namespace: namespace, countMax: 1),
        milliseconds: 3_600_000
      ) { resumed.withLock { $0.append(name) } }
    }
    func add(_ position: Int, _ type: String, _ namespace: String) -> Set<String> {
      resumed.withLock { $0 = [] }
      signal.advance(
        FeedNews(position: position, kinds: [.init(type: type, namespace: namespace)]))
      return Set(resumed.withLock { $0 })
    }

    #expect(add(1, "session.confirmed", "") == ["all"])
    #expect(add(2, "session.confirmed", "hotel") == [])
    #expect(add(3, "session.ended", "shop") == ["ended", "shop"])
    #expect(signal.waiterCount == 1)
    #expect(add(4, "session.created", "shop") == ["created in shop"])
  }
}
