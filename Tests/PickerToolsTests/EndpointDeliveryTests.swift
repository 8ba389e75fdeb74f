import Testing

@testable import PickerTools

/// The delivery to one endpoint, with a simulated clock.
@Suite struct EndpointDeliveryTests {
  private func event(
    _ position: Int, _ session: String = "s", _ type: String = "a"
  ) -> DeliveryEvent {
    DeliveryEvent(
      position: position, id: "ev_\(position)", type: type, session: session, content: "")
  }

  private func delivery(
    _ events: [DeliveryEvent], types: Set<String>? = nil
  ) -> EndpointDelivery {
    var delivery = EndpointDelivery(types: types, watermark: 0)
    delivery.add(events, through: events.last?.position ?? 0, at: 0)
    return delivery
  }

  private func positions(_ attempts: [DeliveryAttempt]) -> [Int] { attempts.map(\.event.position) }

  private let ok = DeliveryAnswer.status(204, retryAfterSeconds: 0)
  private let failed = DeliveryAnswer.status(500, retryAfterSeconds: 0)

  @Test func `at most 8 requests are in flight, and never two of one session`() {
    var delivery = delivery((1...20).map { event($0, "s\($0 % 10)") })

    #expect(positions(delivery.attempts(at: 0)) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(delivery.attempts(at: 0) == [])
    delivery.answered(3, ok, jitter: 0, at: 1)
    delivery.answered(1, ok, jitter: 0, at: 1)
    #expect(positions(delivery.attempts(at: 1)) == [9, 10])
  }

  @Test func `the watermark is before the first event that is not delivered`() {
    var delivery = delivery([event(1, "a"), event(2, "b"), event(3, "c")])
    _ = delivery.attempts(at: 0)

    delivery.answered(3, ok, jitter: 0, at: 0)
    delivery.answered(1, failed, jitter: 0, at: 0)
    #expect(delivery.watermark == 0)
    delivery.answered(2, ok, jitter: 0, at: 0)
    #expect(delivery.watermark == 0)
    _ = delivery.attempts(at: 5000)
    delivery.answered(1, ok, jitter: 0, at: 5000)
    #expect(delivery.watermark == 3)
  }

  @Test func `a failed event holds back its session, and no other one`() {
    var delivery = delivery([event(1, "a"), event(2, "a"), event(3, "b"), event(4, "b")])
    #expect(positions(delivery.attempts(at: 0)) == [1, 3])
    delivery.answered(1, failed, jitter: 0, at: 0)
    delivery.answered(3, ok, jitter: 0, at: 0)

    #expect(positions(delivery.attempts(at: 0)) == [4])
    #expect(delivery.nextDue == 1000)
    #expect(positions(delivery.attempts(at: 1000)) == [1])
  }

  @Test(arguments: [-0.1, 0, 0.1])
  func `fifteen attempts are made, then the endpoint stops`(jitter: Double) {
    var delivery = delivery([event(1)])
    var now: Int64 = 0
    var times: [Int64] = []
    while delivery.stop == nil {
      guard let attempt = delivery.attempts(at: now).first else { break }
      #expect(attempt.number == times.count + 1)
      times.append(now)
      delivery.answered(1, failed, jitter: jitter, at: now)
      now = delivery.nextDue ?? now
    }

    #expect(times.count == 15)
    #expect(
      EndpointDelivery.delays.prefix(7) == [1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000])
    #expect(delivery.stop == .exhausted(position: 1))
    #expect(delivery.watermark == 0)
    for (delay, pair) in zip(EndpointDelivery.delays, zip(times, times.dropFirst())) {
      #expect(pair.1 - pair.0 == delay + Int64(Double(delay) * jitter))
    }
    delivery.resume(at: now)
    #expect(delivery.attempts(at: now).map(\.number) == [1])
  }

  @Test func `410 stops the endpoint at once`() {
    var delivery = delivery([event(1), event(2, "b")])
    _ = delivery.attempts(at: 0)
    delivery.answered(1, .status(410, retryAfterSeconds: 0), jitter: 0, at: 0)

    #expect(delivery.stop == .gone)
    #expect(delivery.attempts(at: 100_000) == [])
    #expect(delivery.nextDue == nil)
    #expect(!delivery.needsEvents)
  }

  @Test func `an endpoint that is overloaded gets nothing for 5 s`() {
    var delivery = delivery([event(1, "a")])
    _ = delivery.attempts(at: 0)
    delivery.answered(1, .status(429, retryAfterSeconds: 0), jitter: -0.1, at: 0)
    delivery.add([event(2, "b")], through: 2, at: 0)

    #expect(delivery.attempts(at: 4999) == [])
    #expect(positions(delivery.attempts(at: 5000)) == [1, 2])
  }

  @Test func `Retry-After is honoured, for a day at most`() {
    var delivery = delivery([event(1)])
    _ = delivery.attempts(at: 0)
    delivery.answered(1, .status(503, retryAfterSeconds: 60), jitter: 0, at: 0)
    #expect(delivery.nextDue == 60_000)

    _ = delivery.attempts(at: 60_000)
    delivery.answered(1, .status(503, retryAfterSeconds: .max), jitter: 0, at: 60_000)
    #expect(delivery.nextDue == 86_460_000)
  }

  @Test(arguments: [301, 302, 307, 400, 404, 500])
  func `redirects and errors are failures`(status: Int) {
    var delivery = delivery([event(1)])
    _ = delivery.attempts(at: 0)
    delivery.answered(1, .status(status, retryAfterSeconds: 0), jitter: 0, at: 0)
    #expect(delivery.watermark == 0)
    #expect(delivery.nextDue == 1000)
  }

  @Test func `events of other types are passed over`() {
    var delivery = delivery([event(1, "a", "x"), event(2, "a", "y")], types: ["y"])
    #expect(delivery.watermark == 1)
    #expect(positions(delivery.attempts(at: 0)) == [2])
    delivery.add([event(3, "a", "x")], through: 3, at: 0)
    delivery.answered(2, ok, jitter: 0, at: 0)
    #expect(delivery.watermark == 3)
  }

  @Test func `an event that was read twice is delivered once`() {
    var delivery = delivery([event(1), event(2)])
    delivery.add([event(1), event(2), event(3)], through: 3, at: 0)
    var seen: [Int] = []
    while let attempt = delivery.attempts(at: 0).first {
      seen.append(attempt.event.position)
      delivery.answered(attempt.event.position, ok, jitter: 0, at: 0)
    }
    #expect(seen == [1, 2, 3])
  }

  @Test func `a delivery that is stuck reads no more than it may hold`() {
    var delivery = delivery((1...500).map { event($0) })
    #expect(!delivery.needsEvents)
    while let attempt = delivery.attempts(at: 0).first {
      delivery.answered(attempt.event.position, ok, jitter: 0, at: 0)
      if delivery.needsEvents { break }
    }
    #expect(delivery.watermark == 1)
  }

  @Test func `events that wait for a later attempt do not stop the reading`() {
    var delivery = delivery((1...600).map { event($0) })
    let (needsEvents, first) = (delivery.needsEvents, delivery.attempts(at: 0))
    #expect(!needsEvents && positions(first) == [1])
    delivery.answered(1, failed, jitter: 0, at: 0)
    let needsMore = delivery.needsEvents
    #expect(needsMore, "599 wait behind one that has failed")

    delivery.add((601...1100).map { event($0, "b") }, through: 1100, at: 0)
    let (needsStillMore, next) = (delivery.needsEvents, delivery.attempts(at: 0))
    #expect(!needsStillMore, "500 can be sent")
    #expect(positions(next) == [601])
  }

  @Test(arguments: [(EndpointDelivery.pendingMax, 0), (16, EndpointDelivery.byteCountMax / 16)])
  func `events that wait stop the reading at the maximum of events and of bytes`(
    count: Int, size: Int
  ) {
    let content = String(repeating: "x", count: size)
    var delivery = EndpointDelivery(types: nil, watermark: 0)
    func add(_ positions: ClosedRange<Int>) {
      let events = positions.map {
        DeliveryEvent(position: $0, id: "ev_\($0)", type: "a", session: "s", content: content)
      }
      delivery.add(events, through: positions.upperBound, at: 0)
    }
    add(1...(count - 1))
    _ = delivery.attempts(at: 0)
    delivery.answered(1, failed, jitter: 0, at: 0)
    let needsOne = delivery.needsEvents
    #expect(needsOne)

    add(count...count)

    let (needsNone, fill) = (!delivery.needsEvents, delivery.fill)
    #expect(needsNone && fill == 1)
    _ = delivery.attempts(at: 1000)
    delivery.answered(1, ok, jitter: 0, at: 1000)
    #expect(delivery.count == count - 1)
    _ = delivery.attempts(at: 1000)
    delivery.answered(2, failed, jitter: 0, at: 1000)
    let needsAgain = delivery.needsEvents
    #expect(needsAgain, "one was delivered, and the next one waits")
  }

  private static let missing: [DeliveryAnswer] =
    [.none("refused")] + [502, 503, 504].map { .status($0, retryAfterSeconds: 0) }

  /// Probes an endpoint that does not answer, and returns the positions and times of the probes.
  private func probe(
    _ delivery: inout EndpointDelivery, _ count: Int, answer: DeliveryAnswer = .none("refused")
  ) -> [(position: Int, time: Int64)] {
    (0..<count).compactMap { _ in
      guard let now = delivery.nextDue else { return nil }
      let attempts = delivery.attempts(at: now)
      guard attempts.count == 1, let position = attempts.first?.event.position else { return nil }
      delivery.answered(position, answer, jitter: 0, at: now)
      return (position, now)
    }
  }

  @Test(arguments: missing)
  func `an endpoint that does not answer is probed by one event, after 1 s doubling to 30 s`(
    answer: DeliveryAnswer
  ) {
    var delivery = delivery((1...20).map { event($0, "s\($0)") })
    for attempt in delivery.attempts(at: 0) {
      delivery.answered(attempt.event.position, answer, jitter: 0, at: 0)
    }
    #expect(delivery.isPaused)
    #expect(delivery.attempts(at: 999) == [])

    let times = probe(&delivery, 8, answer: answer).map(\.time)

    #expect(times == [1, 3, 7, 15, 31, 61, 91, 121].map { $0 * 1000 })
    #expect(delivery.isPaused)
    #expect(positions(delivery.attempts(at: 151_000)).count == 1)
    #expect(delivery.attempts(at: 200_000) == [], "while the probe is in flight")
  }

  @Test(arguments: [204, 400, 404, 429, 500])
  func `all events go on when a probe is answered with anything else`(status: Int) {
    var delivery = delivery((1...8).map { event($0, "s\($0)") })
    for attempt in delivery.attempts(at: 0) {
      delivery.answered(attempt.event.position, .none("refused"), jitter: 0, at: 0)
    }
    _ = probe(&delivery, 4)
    let probe = delivery.attempts(at: 31_000)[0]

    delivery.answered(
      probe.event.position, .status(status, retryAfterSeconds: 0), jitter: 0, at: 31_000)

    #expect(!delivery.isPaused)
    let next = status == 429 ? 36_000 : 31_000
    #expect(delivery.nextDue == Int64(next))
    #expect(delivery.attempts(at: Int64(next)).count == (status == 429 ? 8 : 7))
  }

  /// An endpoint that has failed five times and then does not answer; its only event waits for a
  /// minute.
  private func waiting() -> EndpointDelivery {
    var delivery = delivery([event(1), event(2)])
    for delay: Int64 in [0, 1, 3, 8, 18] {
      _ = delivery.attempts(at: delay * 1000)
      delivery.answered(1, failed, jitter: 0, at: delay * 1000)
    }
    _ = delivery.attempts(at: 48_000)
    delivery.answered(1, Self.missing[3], jitter: 0, at: 48_000)
    return delivery
  }

  @Test func `an endpoint is probed even if its only event waits for its next attempt`() {
    var delivery = waiting()
    #expect(delivery.isPaused)

    #expect(delivery.nextDue == 49_000)
    #expect(probe(&delivery, 3).map(\.time) == [49_000, 51_000, 55_000])
    #expect(positions(delivery.attempts(at: 63_000)) == [1])
    delivery.answered(1, ok, jitter: 0, at: 63_000)

    #expect(positions(delivery.attempts(at: 63_000)) == [2])
  }

  @Test func `an event that is due probes before one that waits for its next attempt`() {
    var delivery = waiting()
    delivery.add([event(3, "b")], through: 3, at: 48_500)

    #expect(probe(&delivery, 2).map(\.position) == [3, 3])
  }

  @Test func `a probe before the time of its event counts for no attempt`() {
    var delivery = waiting()
    #expect(delivery.attempts(at: 49_000).map(\.number) == [7])
    delivery.answered(1, failed, jitter: 0, at: 49_000)

    #expect(!delivery.isPaused)
    #expect(delivery.nextDue == 108_000)
    #expect(delivery.attempts(at: 108_000).map(\.number) == [7])
  }

  @Test func `an outage of a day uses up one attempt at one event`() {
    var delivery = delivery((1...20).map { event($0, "s\($0)") })
    for attempt in delivery.attempts(at: 0) {
      delivery.answered(attempt.event.position, .none("refused"), jitter: 0, at: 0)
    }
    #expect(probe(&delivery, 2900).last?.time ?? 0 > 86_400_000)
    let now = delivery.nextDue ?? 0
    let probed = delivery.attempts(at: now)[0]
    delivery.answered(probed.event.position, ok, jitter: 0, at: now)

    var numbers = [probed.event.position: probed.number]
    for _ in 1...20 {
      for attempt in delivery.attempts(at: now) {
        numbers[attempt.event.position] = attempt.number
        delivery.answered(attempt.event.position, ok, jitter: 0, at: now)
      }
    }

    #expect(numbers == Dictionary(uniqueKeysWithValues: (1...20).map { ($0, $0 == 1 ? 2 : 1) }))
  }

  @Test func `an endpoint that does not answer for as long as all attempts take stops`() {
    var delivery = delivery([event(1)])
    _ = delivery.attempts(at: 0)
    delivery.answered(1, .none("refused"), jitter: 0, at: 0)
    var last: Int64 = 0
    while delivery.stop == nil, let probe = probe(&delivery, 1).first { last = probe.time }

    #expect(delivery.stop == .unanswered)
    #expect(last / 3_600_000 == 75)
    delivery.resume(at: last)
    #expect(!delivery.isPaused)
    #expect(delivery.attempts(at: last).map(\.number) == [1])
  }

  @Test func `an event that is never answered does not hold back other sessions`() {
    var delivery = delivery([event(1, "a"), event(2, "b")])
    #expect(positions(delivery.attempts(at: 0)) == [1, 2])
    delivery.answered(2, ok, jitter: 0, at: 0)
    delivery.answered(1, .status(504, retryAfterSeconds: 0), jitter: 0, at: 0)
    var (now, next): (Int64, Int) = (0, 3)
    while delivery.stop == nil, now < 3_600_000_000 {
      if delivery.isPaused {
        delivery.add([event(next, "b\(next)")], through: next, at: now)
        next += 1
      }
      now = delivery.nextDue ?? now
      for attempt in delivery.attempts(at: now) {
        let position = attempt.event.position
        #expect(position == 1 || attempt.number == 1)
        let answer = position == 1 ? DeliveryAnswer.none("timeout") : ok
        delivery.answered(position, answer, jitter: 0, at: now)
      }
    }

    #expect(delivery.stop == .exhausted(position: 1))
    #expect(next == 3 + 14, "one probe by another event after each attempt but the last")
  }

  @Test func `a request from before the pause counts for no attempt and does not end the pause`() {
    var delivery = delivery([event(1, "a"), event(2, "b"), event(3, "c")])
    _ = delivery.attempts(at: 0)
    delivery.answered(1, .none("reset"), jitter: 0, at: 0)
    delivery.answered(2, ok, jitter: 0, at: 10)
    #expect(delivery.isPaused)
    #expect(positions(delivery.attempts(at: 1000)) == [1])
    delivery.answered(3, .none("timeout"), jitter: 0, at: 15_000)
    delivery.answered(1, ok, jitter: 0, at: 15_000)

    #expect(delivery.attempts(at: 15_000).map(\.number) == [1])
  }

  @Test func `sessions with a deadline go first, each in its own order`() {
    let urgent = "session.confirming"
    var delivery = delivery(
      (1...20).map { event($0, "s\($0)") }
        + [event(21, "u"), event(22, "u", urgent), event(23, "v", urgent), event(24, "v")])
    for attempt in delivery.attempts(at: 0) {
      delivery.answered(attempt.event.position, .none("refused"), jitter: 0, at: 0)
    }
    #expect(positions(delivery.attempts(at: 1000)) == [23])
    delivery.answered(23, .none("refused"), jitter: 0, at: 1000)
    #expect(positions(delivery.attempts(at: 3000)) == [1], "one that has not probed yet")
    delivery.answered(1, ok, jitter: 0, at: 3000)

    #expect(positions(delivery.attempts(at: 3000)) == [21, 23, 2, 3, 4, 5, 6, 7])
    delivery.answered(21, ok, jitter: 0, at: 3000)
    #expect(positions(delivery.attempts(at: 3000)) == [22])
    delivery.answered(23, ok, jitter: 0, at: 3000)
    #expect(positions(delivery.attempts(at: 3000)) == [8], "24 has no deadline: after the others")
  }
}
