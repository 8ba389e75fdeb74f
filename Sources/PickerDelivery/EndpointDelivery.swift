/// The delivery of the feed to one endpoint: which event is sent when. Without I/O and clock; times
/// are milliseconds of any clock that never goes back.
///
/// - Events of one session are sent one after the other: while one waits for its next attempt, the
///   later ones of its session wait behind it. Other sessions go on.
/// - The watermark is the position up to which every event is delivered. It is what a restart
///   continues from, so that every event is delivered at least once.
/// - Source: web/guide/feed.md, "Have it posted to you".
package struct EndpointDelivery: Sendable {
  private struct Pending {
    let event: DeliveryEvent
    /// Attempts that have failed.
    var failureCount = 0
    var dueAt: Int64
    var isInFlight = false
  }

  /// Milliseconds between an attempt and the one after it, each ± 10 %.
  package static let delays: [Int64] = [
    5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000,
    86_400_000,
  ]
  package static let inFlightMax = 8
  /// Events that wait here; more are not read from the feed.
  package static let pendingMax = 1000

  /// `nil` for all types.
  private let types: Set<String>?
  /// In the order of the feed.
  private var pending: [Pending] = []
  /// Everything up to this position has been read from the feed.
  package private(set) var readPosition: Int
  /// Nothing is sent before this time.
  private var pausedUntil: Int64 = 0
  package private(set) var stop: DeliveryStop?

  /// - Parameter watermark: Everything up to this position was delivered before.
  package init(types: Set<String>?, watermark: Int) {
    self.types = types
    readPosition = watermark
  }

  /// All events up to this position are delivered.
  package var watermark: Int { pending.first.map { $0.event.position - 1 } ?? readPosition }

  package var isIdle: Bool { pending.isEmpty }

  /// Whether more events should be read from the feed.
  package var needsEvents: Bool {
    stop == nil && pending.count < EndpointDelivery.pendingMax / 2
  }

  /// Takes the events that were read after ``readPosition``.
  ///
  /// - Parameter position: Everything up to here has been read.
  package mutating func add(_ events: [DeliveryEvent], through position: Int, at now: Int64) {
    for event in events where event.position > readPosition {
      if types?.contains(event.type) ?? true { pending.append(Pending(event: event, dueAt: now)) }
    }
    readPosition = max(readPosition, position)
  }

  /// Continues reading after a later position. What was read before stays pending.
  package mutating func skip(to position: Int) { readPosition = max(readPosition, position) }

  /// The attempts to be made now.
  package mutating func attempts(at now: Int64) -> [DeliveryAttempt] {
    guard stop == nil, pausedUntil <= now else { return [] }
    var room = EndpointDelivery.inFlightMax - pending.count { $0.isInFlight }
    var busy: Set<String> = []
    var attempts: [DeliveryAttempt] = []
    for index in pending.indices where room > 0 {
      let waiting = pending[index]
      // The first event of a session is the only one that may be sent.
      guard busy.insert(waiting.event.session).inserted, !waiting.isInFlight, waiting.dueAt <= now
      else { continue }
      pending[index].isInFlight = true
      room -= 1
      attempts.append(
        DeliveryAttempt(
          event: waiting.event, number: waiting.failureCount + 1, watermark: watermark))
    }
    return attempts
  }

  /// When ``attempts(at:)`` has something new without an answer in between; `nil` if never.
  package var nextDue: Int64? {
    if stop != nil { return nil }
    var busy: Set<String> = []
    var due: Int64?
    for waiting in pending where busy.insert(waiting.event.session).inserted {
      if !waiting.isInFlight { due = min(due ?? .max, max(waiting.dueAt, pausedUntil)) }
    }
    return due
  }

  /// Takes the answer to an attempt.
  ///
  /// - Parameter jitter: A random number from -0.1 to 0.1.
  package mutating func answered(
    _ position: Int, _ answer: DeliveryAnswer, jitter: Double, at now: Int64
  ) {
    guard let index = pending.firstIndex(where: { $0.event.position == position }),
      pending[index].isInFlight
    else { return }
    pending[index].isInFlight = false
    if case .status(let status, _) = answer, (200...299).contains(status) {
      pending.remove(at: index)
      return
    }
    if case .status(410, _) = answer {
      stop = .gone
      return
    }
    fail(index, answer, jitter, now)
  }

  private mutating func fail(
    _ index: Int, _ answer: DeliveryAnswer, _ jitter: Double, _ now: Int64
  ) {
    let failureCount = pending[index].failureCount
    pending[index].failureCount += 1
    guard failureCount < EndpointDelivery.delays.count else {
      stop = .exhausted(position: pending[index].event.position)
      return
    }
    let delay = EndpointDelivery.delays[failureCount]
    pending[index].dueAt = now + delay + Int64(Double(delay) * jitter)
    let pause = EndpointDelivery.pause(after: answer)
    guard pause > 0 else { return }
    pausedUntil = max(pausedUntil, now + pause)
    pending[index].dueAt = max(pending[index].dueAt, pausedUntil)
  }

  /// Milliseconds for which an answer asks to send nothing at all, at most a day.
  private static func pause(after answer: DeliveryAnswer) -> Int64 {
    guard case .status(let status, let seconds) = answer else { return 0 }
    if seconds > 0 { return min(seconds, 86_400) * 1000 }
    return [429, 502, 504].contains(status) ? delays[0] : 0
  }

  /// Stops as an earlier process has.
  package mutating func halt() { stop = stop ?? .before }

  /// Continues after a stop: all events that are not delivered are attempted anew.
  package mutating func resume(at now: Int64) {
    stop = nil
    pausedUntil = now
    for index in pending.indices where !pending[index].isInFlight {
      pending[index].failureCount = 0
      pending[index].dueAt = now
    }
  }
}
