import CivilTime
import PickerHub
import PickerWire

/// The random parameters of a world: its size, pace, unreliability and limits.
struct Profile {
  /// Whether the log is in a database. Only then are sessions evicted and reloaded, and does
  /// anything survive a crash.
  private(set) var isStored: Bool
  private(set) var doesStoreFail: Bool
  /// The number of times that the process is killed in each half of the run.
  private(set) var crashCount: Int
  private(set) var isClockRunning: Bool
  private(set) var doesClockJump: Bool
  let authentication: HubConfiguration.Authentication
  private(set) var clientCount: Int
  private(set) var sessionCount: Int
  /// The number of actions of all clients together.
  let actCount: Int
  /// The maximum latency in one direction, in milliseconds.
  let delayMax: Int
  /// On average one in so many connections reads slowly; 0 for none.
  let slowOneIn: Int
  /// On average one in so many actions is an invalid message; 0 for none.
  let badOneIn: Int
  /// The maximum pause between two actions of a client, in milliseconds.
  private(set) var pauseMax: Int
  /// The maximum duration of work on another thread, in milliseconds.
  let workMax: Int
  /// How many of so many HTTP requests are changes by the host.
  private(set) var hostChangesIn24: Int
  /// Whether sessions use shared definitions.
  var sharesDefinitions: Bool { hostChangesIn24 == 10 }
  private(set) var limits: ServerLimits
  /// Whether sessions are availabilities, mostly.
  let doMembersMark: Bool
  /// Whether there is memory for few sessions.
  private(set) var isMemoryShort: Bool
  let start: Instant
  /// The number of nodes that share the database.
  private(set) var nodeCount = 1
  var isClustered: Bool { nodeCount > 1 }
  /// The kind of the pickers in a world whose sessions take from an inventory; `nil` in others.
  private(set) var saleKind: String?
  var sells: Bool { saleKind != nil }

  /// Lets several nodes share the database. Their clocks run, and differ.
  mutating func share(among count: Int) {
    (nodeCount, isStored, isClockRunning) = (count, true, true)
    (doesStoreFail, crashCount, doesClockJump, isMemoryShort) = (false, 0, false, false)
    limits.sessionsBytes = ServerLimits().sessionsBytes
    limits.memberMilliseconds = 2500
    pauseMax = min(pauseMax, 3000)
  }

  /// Lets all sessions use a shared definition that has an inventory.
  mutating func sell(_ random: inout RandomSource) {
    saleKind = random.pick(["calendar", "calendar", "slot", "cascade"])
    (sessionCount, clientCount) = (random.within(3...6), random.within(5...9))
    hostChangesIn24 = 10
    pauseMax = random.pick([400, 1000, 3000])
  }

  init(_ random: inout RandomSource, isMemoryShort: Bool, doMembersMark: Bool) {
    self.isMemoryShort = isMemoryShort
    self.doMembersMark = doMembersMark
    isStored = random.coin()
    doesStoreFail = isStored && random.once(in: 2)
    crashCount = isStored ? random.pick([0, 0, 1, 3]) : 0
    isClockRunning = !random.once(in: 4)
    doesClockJump = random.coin()
    authentication = random.once(in: 4) ? .token : .open
    sessionCount = random.within(1...3)
    clientCount = random.within(2...9)
    actCount = random.within(100...600)
    delayMax = random.pick([0, 5, 50, 400])
    slowOneIn = random.pick([0, 2, 4])
    badOneIn = random.pick([0, 20, 60])
    pauseMax = random.pick([20, 400, 3000, 40_000])
    workMax = random.pick([0, 20, 200])
    hostChangesIn24 = random.pick([0, 4, 10, 14])
    var limits = Profile.limits(&random)
    if isMemoryShort { limits.sessionsBytes = 10_000 }
    start = Profile.start(&random)
    if doMembersMark { limits.session.runs = random.pick([3, 12, 400]) }
    self.limits = limits
  }

  /// Mostly small limits, so that they are reached often.
  private static func limits(_ random: inout RandomSource) -> ServerLimits {
    var limits = ServerLimits()
    limits.session.months = random.pick([2, 4, 24])
    limits.session.rows = random.pick([5, 40, 500])
    limits.session.windowRows = random.pick([4, 10, 200])
    limits.session.refs = random.pick([2, 8, 256])
    limits.session.undo = random.pick([1, 5, 100])
    limits.session.history = random.pick([3, 20, 1000])
    limits.session.members = random.pick([3, 1000, 1000])
    limits.messagesPerSecond = random.pick([10, 50, 50, 400])
    limits.outboxMessages = random.pick([12, 100, 1000, 1000])
    limits.outboxBytes = random.pick([600, 4000, 262_144])
    limits.memberMilliseconds = Int64(random.pick([2000, 120_000]))
    return limits
  }

  /// A time shortly before midnight in some zone, before a clock change, or another time.
  private static func start(_ random: inout RandomSource) -> Instant {
    let texts = [
      "2026-11-20T15:59:40Z", "2026-02-28T23:59:50Z", "2024-02-28T23:59:30Z",
      "2026-03-08T04:58:00Z", "2026-11-01T04:58:00Z", "2026-10-03T14:50:00Z",
      "2011-12-30T09:59:00Z", "2026-12-31T18:14:30Z", "2026-01-31T02:59:00Z",
      "2026-07-14T11:30:00Z",
    ]
    return Instant(rfc3339: random.pick(texts).utf8)!
  }
}
