/// The delivery of the feed to one endpoint: which event is sent when. Without I/O and clock; times
/// are milliseconds of any clock that never goes back.
///
/// - Events of one session are sent one after the other: while one waits for its next attempt, the
///   later ones of its session wait behind it. Other sessions go on.
/// - Sessions with an event that has a deadline go before the others.
/// - An endpoint that does not answer is paused: one event at a time probes it, until it answers.
///   The failure that begins the pause counts as an attempt at its event; those in the pause count
///   for none, so that an outage of any length uses up one attempt at one event. Probes take the
///   sessions in turn, so that an event which the endpoint never answers does not pause the others
///   for longer than one probe. If no event is due, one that was not answered before probes.
/// - Events of sessions whose first one has failed do not stop the reading of the feed until the
///   memory for the endpoint is full.
/// - The watermark is what a restart continues from, so that every event is delivered at least
///   once. Nothing here gives up an event: the endpoint stops instead. The reader of the feed does,
///   with ``skip(to:)`` and with the watermark it begins at.
/// - Source: web/guide/feed.md, "Have it posted to you".
struct EndpointDelivery: Sendable {
  private struct Pending {
    let event: DeliveryEvent
    /// Whether it is the first one of its session, which alone may be sent.
    var isFirst: Bool
    /// Attempts that have failed.
    var failureCount = 0
    /// How often the event has begun a pause, or has probed the endpoint in vain.
    var missCount = 0
    var dueAt: Int64
    var isInFlight = false
  }

  /// The time in which an endpoint does not answer.
  private struct Pause {
    let since: Int64
    /// Milliseconds between the last probe and the next one.
    var interval: Int64
    var probeAt: Int64
    /// The position of the event that probes the endpoint now.
    var probe: Int?
  }

  /// Milliseconds between an attempt and the one after it, each ± 10 %.
  static let delays: [Int64] = [
    1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000,
    36_000_000, 50_400_000, 72_000_000, 86_400_000,
  ]
  /// Milliseconds between two probes of an endpoint that does not answer, each ± 10 %: doubled from
  /// the first to the last.
  private static let probeIntervals: ClosedRange<Int64> = 1_000...30_000
  /// Milliseconds without a request after `429` without `Retry-After`.
  private static let overloadPause: Int64 = 5_000
  static let inFlightMax = 8
  /// Events that could be sent now or after the one before; while there are so many, no more are
  /// read from the feed.
  static let readyMax = 500
  /// Events that are held in all, and the size of their ``DeliveryEvent/content``. The page of the
  /// feed that reaches a maximum may exceed it.
  static let pendingMax = 10_000
  static let byteCountMax = 16_777_216

  /// `nil` for all types.
  private let types: Set<String>?
  /// In the order of the feed.
  private var pending: [Pending] = []
  /// The number of pending events of each session.
  private var counts: [String: Int] = [:]
  private var byteCount = 0
  /// Everything up to this position has been read from the feed.
  private(set) var readPosition: Int
  /// The endpoint asked that nothing is sent before this time.
  private var silentUntil: Int64 = 0
  private var pause: Pause?
  private(set) var stop: DeliveryStop?

  /// - Parameter watermark: Everything up to this position was delivered or given up before.
  init(types: Set<String>?, watermark: Int) {
    self.types = types
    readPosition = watermark
  }

  /// All events up to this position are delivered or given up.
  var watermark: Int { pending.first.map { $0.event.position - 1 } ?? readPosition }

  var isIdle: Bool { pending.isEmpty }

  /// The number of events that are held.
  var count: Int { pending.count }

  /// Whether the endpoint does not answer.
  var isPaused: Bool { pause != nil }

  /// Whether more events should be read from the feed.
  var needsEvents: Bool {
    stop == nil && fill < 1 && readyCount < EndpointDelivery.readyMax
  }

  /// The part of the maximum of held events that is used. From 1 no more are read.
  var fill: Double {
    max(
      Double(pending.count) / Double(EndpointDelivery.pendingMax),
      Double(byteCount) / Double(EndpointDelivery.byteCountMax))
  }

  /// The events of sessions whose first one has not failed.
  private var readyCount: Int {
    pending.lazy.filter { $0.isFirst && $0.failureCount > 0 }.reduce(pending.count) {
      $0 - (counts[$1.event.session] ?? 0)
    }
  }

  /// Takes the events that were read after ``readPosition``.
  ///
  /// - Parameter position: Everything up to here has been read.
  mutating func add(_ events: [DeliveryEvent], through position: Int, at now: Int64) {
    for event in events where event.position > readPosition {
      guard types?.contains(event.type) ?? true else { continue }
      let count = counts[event.session] ?? 0
      counts[event.session] = count + 1
      byteCount += event.content.utf8.count
      pending.append(Pending(event: event, isFirst: count == 0, dueAt: now))
    }
    readPosition = max(readPosition, position)
  }

  private mutating func remove(at index: Int) {
    let event = pending.remove(at: index).event
    byteCount -= event.content.utf8.count
    let count = (counts[event.session] ?? 1) - 1
    counts[event.session] = count == 0 ? nil : count
    guard count > 0,
      let next = pending[index...].firstIndex(where: { $0.event.session == event.session })
    else { return }
    pending[next].isFirst = true
  }

  /// Continues reading after a later position. What was read before stays pending.
  mutating func skip(to position: Int) { readPosition = max(readPosition, position) }

  /// The indices of the events that may be sent, the first one of each session, in the order in
  /// which they are sent.
  private var heads: [Int] {
    let urgent = Set(pending.lazy.filter(\.event.hasDeadline).map(\.event.session))
    let heads = pending.indices.filter { pending[$0].isFirst }
    if urgent.isEmpty { return heads }
    return heads.filter { urgent.contains(pending[$0].event.session) }
      + heads.filter { !urgent.contains(pending[$0].event.session) }
  }

  /// The attempts to be made now.
  mutating func attempts(at now: Int64) -> [DeliveryAttempt] {
    guard stop == nil, silentUntil <= now else { return [] }
    let heads = heads.filter { !pending[$0].isInFlight }
    let due = heads.filter { pending[$0].dueAt <= now }
    if let pause {
      guard pause.probe == nil, pause.probeAt <= now else { return [] }
      // The event that began the pause can probe even while it waits for its next attempt.
      let probes = due.isEmpty ? heads.filter { pending[$0].missCount > 0 } : due
      guard let index = probes.min(by: { pending[$0].missCount < pending[$1].missCount })
      else { return [] }
      self.pause?.probe = pending[index].event.position
      return [start(index)]
    }
    let room = EndpointDelivery.inFlightMax - pending.count { $0.isInFlight }
    return due.prefix(max(room, 0)).map { start($0) }
  }

  private mutating func start(_ index: Int) -> DeliveryAttempt {
    pending[index].isInFlight = true
    return DeliveryAttempt(
      event: pending[index].event, number: pending[index].failureCount + 1, watermark: watermark)
  }

  /// When ``attempts(at:)`` has something new without an answer in between; `nil` if never.
  var nextDue: Int64? {
    guard stop == nil else { return nil }
    if let pause { return pause.probe == nil ? max(pause.probeAt, silentUntil) : nil }
    let due = pending.lazy.filter { $0.isFirst && !$0.isInFlight }.map(\.dueAt).min()
    return due.map { max($0, silentUntil) }
  }

  /// Takes the answer to an attempt.
  ///
  /// - Parameter jitter: A random number from -0.1 to 0.1.
  mutating func answered(
    _ position: Int, _ answer: DeliveryAnswer, jitter: Double, at now: Int64
  ) {
    guard let index = pending.firstIndex(where: { $0.event.position == position }),
      pending[index].isInFlight
    else { return }
    pending[index].isInFlight = false
    silentUntil = max(silentUntil, now + EndpointDelivery.silence(after: answer))
    if answer.isMissing { return miss(index, jitter, now) }
    if pause?.probe == position { pause = nil }
    switch answer {
    case .status(200...299, _): remove(at: index)
    case .status(410, _): stop = .gone
    case .status, .none: fail(index, jitter, now)
    }
  }

  private mutating func fail(_ index: Int, _ jitter: Double, _ now: Int64) {
    // A probe before the time of the event's next attempt does not replace that attempt.
    guard pending[index].dueAt <= now else { return }
    let failureCount = pending[index].failureCount
    pending[index].failureCount += 1
    guard failureCount < EndpointDelivery.delays.count else {
      stop = .exhausted(position: pending[index].event.position)
      return
    }
    pending[index].dueAt = now.advanced(by: EndpointDelivery.delays[failureCount], jitter)
  }

  /// Handles a request that the endpoint did not answer.
  private mutating func miss(_ index: Int, _ jitter: Double, _ now: Int64) {
    let intervals = EndpointDelivery.probeIntervals
    guard let pause else {
      pending[index].missCount += 1
      fail(index, jitter, now)
      if stop != nil { return }
      pause = Pause(
        since: now, interval: intervals.lowerBound,
        probeAt: now.advanced(by: intervals.lowerBound, jitter))
      return
    }
    // Other requests were sent before the pause, and say nothing about the endpoint now.
    guard pause.probe == pending[index].event.position else { return }
    pending[index].missCount += 1
    if now - pause.since >= EndpointDelivery.delays.reduce(0, +) {
      stop = .unanswered
      return
    }
    let interval = min(pause.interval * 2, intervals.upperBound)
    self.pause = Pause(
      since: pause.since, interval: interval, probeAt: now.advanced(by: interval, jitter))
  }

  /// Milliseconds for which an answer asks to send nothing at all, at most a day.
  private static func silence(after answer: DeliveryAnswer) -> Int64 {
    guard case .status(let status, let seconds) = answer, status >= 300 else { return 0 }
    if seconds > 0 { return min(seconds, 86_400) * 1000 }
    return status == 429 ? overloadPause : 0
  }

  /// Stops as an earlier process has.
  mutating func halt() { stop = stop ?? .before }

  /// Continues after a stop: all events that are not delivered are attempted anew.
  mutating func resume(at now: Int64) {
    stop = nil
    pause = nil
    silentUntil = now
    for index in pending.indices where !pending[index].isInFlight {
      pending[index].failureCount = 0
      pending[index].dueAt = now
    }
  }
}

extension Int64 {
  /// A time in milliseconds, later by a delay that is changed by a part of itself.
  fileprivate func advanced(by delay: Int64, _ jitter: Double) -> Int64 {
    self + delay + Int64(Double(delay) * jitter)
  }
}
