import DequeModule
import HeapModule

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
  /// The events of a session, of which only the first one may be sent.
  private struct Pending {
    var events: Deque<DeliveryEvent> = []
    /// The number of those that have a deadline.
    var deadlineCount = 0
    /// Attempts at the first event that have failed.
    var failureCount = 0
    /// How often the first event has begun a pause, or has probed the endpoint in vain.
    var missCount = 0
    var dueAt: Int64
    var isInFlight = false

    var isUrgent: Bool { deadlineCount > 0 }
  }

  /// The first event of a session while it is not in flight. One that has been sent meanwhile, or
  /// has another time or urgency, is obsolete.
  private struct Head: Hashable {
    let position: Int
    let session: String
    let dueAt: Int64
    let isUrgent: Bool
  }

  /// A head in the order of times.
  private struct Waiting: Comparable {
    let head: Head

    static func < (left: Waiting, right: Waiting) -> Bool { left.head.dueAt < right.head.dueAt }
  }

  /// A head in the order in which due ones are sent.
  private struct Due: Comparable {
    let head: Head

    static func < (left: Due, right: Due) -> Bool {
      left.head.isUrgent == right.head.isUrgent
        ? left.head.position < right.head.position : left.head.isUrgent
    }
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
  /// By session.
  private var pending: [String: Pending] = [:]
  /// The sessions of the events in flight, by position.
  private var inFlight: [Int: String] = [:]
  /// The positions of the pending events, and of those delivered after the first pending one.
  private var positions: Deque<Int> = []
  private var delivered: Set<Int> = []
  /// Heads that are not known to be due. The first one is not obsolete.
  private var waiting: Heap<Waiting> = []
  /// Heads that are due. The first one is not obsolete.
  private var due: Heap<Due> = []
  /// The events of the sessions whose first one has failed.
  private var heldCount = 0
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
  var watermark: Int { positions.first.map { $0 - 1 } ?? readPosition }

  var isIdle: Bool { positions.isEmpty }

  /// The number of events that are held.
  var count: Int { positions.count - delivered.count }

  /// Whether the endpoint does not answer.
  var isPaused: Bool { pause != nil }

  /// Whether more events should be read from the feed.
  var needsEvents: Bool {
    stop == nil && fill < 1 && count - heldCount < EndpointDelivery.readyMax
  }

  /// The part of the maximum of held events that is used. From 1 no more are read.
  var fill: Double {
    max(
      Double(count) / Double(EndpointDelivery.pendingMax),
      Double(byteCount) / Double(EndpointDelivery.byteCountMax))
  }

  /// Takes the events that were read after ``readPosition``.
  ///
  /// - Parameter position: Everything up to here has been read.
  mutating func add(_ events: [DeliveryEvent], through position: Int, at now: Int64) {
    for event in events where event.position > readPosition {
      guard types?.contains(event.type) ?? true else { continue }
      positions.append(event.position)
      byteCount += event.content.utf8.count
      add(event, at: now)
    }
    readPosition = max(readPosition, position)
    removeObsolete()
  }

  private mutating func add(_ event: DeliveryEvent, at now: Int64) {
    let session = event.session
    let wasUrgent = pending[session]?.isUrgent
    pending[session, default: Pending(dueAt: now)].events.append(event)
    if event.hasDeadline { pending[session]!.deadlineCount += 1 }
    if pending[session]!.failureCount > 0 { heldCount += 1 }
    if wasUrgent != pending[session]!.isUrgent { queue(session) }
  }

  /// Removes the first event of a session, which was delivered.
  private mutating func remove(of session: String, at now: Int64) {
    guard var rest = pending[session], let event = rest.events.popFirst() else { return }
    byteCount -= event.content.utf8.count
    delivered.insert(event.position)
    while let first = positions.first, delivered.remove(first) != nil { positions.removeFirst() }
    if rest.failureCount > 0 { heldCount -= rest.events.count + 1 }
    if event.hasDeadline { rest.deadlineCount -= 1 }
    (rest.failureCount, rest.missCount, rest.dueAt) = (0, 0, now)
    pending[session] = rest.events.isEmpty ? nil : rest
    queue(session)
  }

  private func head(of session: String) -> Head? {
    guard let first = pending[session], !first.isInFlight, let event = first.events.first else {
      return nil
    }
    return Head(
      position: event.position, session: session, dueAt: first.dueAt, isUrgent: first.isUrgent)
  }

  private mutating func queue(_ session: String) {
    if let head = head(of: session) { waiting.insert(Waiting(head: head)) }
  }

  private mutating func removeObsolete() {
    while let first = waiting.min, first.head != head(of: first.head.session) {
      waiting.removeMin()
    }
    while let first = due.min, first.head != head(of: first.head.session) { due.removeMin() }
  }

  /// Continues reading after a later position. What was read before stays pending.
  mutating func skip(to position: Int) { readPosition = max(readPosition, position) }

  /// The attempts to be made now: sessions with a deadline first, then in the order of the feed.
  mutating func attempts(at now: Int64) -> [DeliveryAttempt] {
    guard stop == nil, silentUntil <= now else { return [] }
    defer { removeObsolete() }
    if let pause {
      guard pause.probe == nil, pause.probeAt <= now, let head = probe(at: now) else { return [] }
      self.pause?.probe = head.position
      return [start(head)]
    }
    while let first = waiting.min, first.head.dueAt <= now {
      due.insert(Due(head: waiting.removeMin().head))
    }
    var attempts: [DeliveryAttempt] = []
    while inFlight.count < EndpointDelivery.inFlightMax, let head = due.popMin()?.head {
      if head == self.head(of: head.session) { attempts.append(start(head)) }
    }
    return attempts
  }

  /// The event that probes an endpoint that does not answer. There is a second between two probes,
  /// so that it may be looked for among all.
  private func probe(at now: Int64) -> Head? {
    let heads = pending.keys.compactMap { head(of: $0) }
    let due = heads.filter { $0.dueAt <= now }
    func misses(_ head: Head) -> Int { pending[head.session]?.missCount ?? 0 }
    // The event that began the pause can probe even while it waits for its next attempt.
    let probes = due.isEmpty ? heads.filter { misses($0) > 0 } : due
    return probes.min { left, right in
      let (first, second) = (misses(left), misses(right))
      return first == second ? Due(head: left) < Due(head: right) : first < second
    }
  }

  private mutating func start(_ head: Head) -> DeliveryAttempt {
    pending[head.session]!.isInFlight = true
    inFlight[head.position] = head.session
    let first = pending[head.session]!
    return DeliveryAttempt(
      event: first.events[0], number: first.failureCount + 1, watermark: watermark)
  }

  /// When ``attempts(at:)`` has something new without an answer in between; `nil` if never.
  var nextDue: Int64? {
    guard stop == nil else { return nil }
    if let pause { return pause.probe == nil ? max(pause.probeAt, silentUntil) : nil }
    let next = due.min?.head.dueAt ?? waiting.min?.head.dueAt
    return next.map { max($0, silentUntil) }
  }

  /// Takes the answer to an attempt.
  ///
  /// - Parameter jitter: A random number from -0.1 to 0.1.
  mutating func answered(
    _ position: Int, _ answer: DeliveryAnswer, jitter: Double, at now: Int64
  ) {
    guard let session = inFlight.removeValue(forKey: position) else { return }
    pending[session]!.isInFlight = false
    defer { removeObsolete() }
    silentUntil = max(silentUntil, now + EndpointDelivery.silence(after: answer))
    if !answer.isMissing, pause?.probe == position { pause = nil }
    switch answer {
    case .status(200...299, _): return remove(of: session, at: now)
    case .status(410, _): stop = .gone
    case _ where answer.isMissing: miss(position, of: session, jitter, now)
    case .status, .none: fail(session, jitter, now)
    }
    queue(session)
  }

  private mutating func fail(_ session: String, _ jitter: Double, _ now: Int64) {
    // A probe before the time of the event's next attempt does not replace that attempt.
    guard let first = pending[session], first.dueAt <= now else { return }
    if first.failureCount == 0 { heldCount += first.events.count }
    pending[session]!.failureCount += 1
    guard first.failureCount < EndpointDelivery.delays.count else {
      stop = .exhausted(position: first.events[0].position)
      return
    }
    pending[session]!.dueAt =
      now.advanced(by: EndpointDelivery.delays[first.failureCount], jitter)
  }

  /// Handles a request that the endpoint did not answer.
  private mutating func miss(
    _ position: Int, of session: String, _ jitter: Double, _ now: Int64
  ) {
    let intervals = EndpointDelivery.probeIntervals
    guard let pause else {
      pending[session]!.missCount += 1
      fail(session, jitter, now)
      if stop != nil { return }
      pause = Pause(
        since: now, interval: intervals.lowerBound,
        probeAt: now.advanced(by: intervals.lowerBound, jitter))
      return
    }
    // Other requests were sent before the pause, and say nothing about the endpoint now.
    guard pause.probe == position else { return }
    pending[session]!.missCount += 1
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
    for session in pending.keys where pending[session]?.isInFlight == false {
      (pending[session]!.failureCount, pending[session]!.dueAt) = (0, now)
      queue(session)
    }
    heldCount = pending.values.reduce(0) { $0 + ($1.failureCount > 0 ? $1.events.count : 0) }
    removeObsolete()
  }
}

extension Int64 {
  /// A time in milliseconds, later by a delay that is changed by a part of itself.
  fileprivate func advanced(by delay: Int64, _ jitter: Double) -> Int64 {
    self + delay + Int64(Double(delay) * jitter)
  }
}
