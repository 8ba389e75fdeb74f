import Testing

@testable import PickerDelivery

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
    #expect(delivery.nextDue == 5000)
    #expect(positions(delivery.attempts(at: 5000)) == [1])
  }

  @Test(arguments: [-0.1, 0, 0.1])
  func `ten attempts are made, then the endpoint stops`(jitter: Double) {
    var delivery = delivery([event(1)])
    var now: Int64 = 0
    var times: [Int64] = []
    while delivery.stop == nil {
      guard let attempt = delivery.attempts(at: now).first else { break }
      #expect(attempt.number == times.count + 1)
      times.append(now)
      delivery.answered(1, .none("refused"), jitter: jitter, at: now)
      now = delivery.nextDue ?? now
    }

    #expect(times.count == 10)
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

  @Test(arguments: [429, 502, 504])
  func `an endpoint that is overloaded gets nothing for 5 s`(status: Int) {
    var delivery = delivery([event(1, "a")])
    _ = delivery.attempts(at: 0)
    delivery.answered(1, .status(status, retryAfterSeconds: 0), jitter: -0.1, at: 0)
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
    #expect(delivery.nextDue == 5000)
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
}
