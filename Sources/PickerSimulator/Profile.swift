import CivilTime
import PickerHub
import PickerWire

/// What kind of world a seed makes: how big, how hasty, how unreliable, with which maxima.
struct Profile {
  let isLogLate: Bool
  let doesLogFail: Bool
  /// Whether sessions leave memory and come back; only then does anything survive a crash.
  let canLogLoad: Bool
  /// How often the process is killed in each half of the world.
  let crashCount: Int
  let isClockRunning: Bool
  let doesClockJump: Bool
  let authentication: HubConfiguration.Authentication
  let clientCount: Int
  let sessionCount: Int
  /// How often all clients together act.
  let actCount: Int
  /// The longest way of a message, one way, in milliseconds.
  let delayMax: Int
  /// One of so many connections reads slowly; 0: none.
  let slowOneIn: Int
  /// One of so many acts is no message of ours; 0: none.
  let badOneIn: Int
  /// The longest pause between two acts of a client, in milliseconds.
  let pauseMax: Int
  let limits: ServerLimits
  let start: Instant

  init(_ random: inout RandomSource) {
    isLogLate = random.once(in: 3)
    doesLogFail = random.once(in: 4)
    canLogLoad = random.coin()
    crashCount = canLogLoad ? random.pick([0, 0, 1, 3]) : 0
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
    limits = Profile.limits(&random)
    start = Profile.start(&random)
  }

  /// Small maxima most of the time: what happens at them is what has to be seen.
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

  /// Shortly before midnight in some zone, or before a clock change, or any time.
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
