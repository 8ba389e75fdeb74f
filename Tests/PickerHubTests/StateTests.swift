import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession

/// The values that a session in memory consists of.
@Suite struct StateTests {
  private let ana = MemberID("ana")

  private func joining(_ subject: String?) -> LogEntry.Joining {
    LogEntry.Joining(
      member: ana, secret: SecretHash([]), name: "Ana", role: nil, subject: subject, info: nil,
      meta: nil)
  }

  @Test func `a step that waits for the log runs once per stored record, with those after it`() {
    var steps = StepQueue(total: HubBuffers())
    for step in [SessionStep.created { _ in }, .look { _ in }, .end { _ in }] { steps.append(step) }
    var storedCount = 1
    var run = 0
    while steps.next(storedCount: &storedCount) != nil { run += 1 }

    #expect(run == 2 && storedCount == 0)
    #expect(steps.count == 1 && steps.byteCount == 256)
  }

  @Test func `paused connections are resumed once, at half of the maximum`() {
    var steps = StepQueue(total: HubBuffers())
    for _ in 0..<4 { steps.append(.created { _ in }) }
    let isPaused = steps.pausesConnections(byteCountMax: 1024)
    var resumed: [Bool] = []
    for _ in 0..<4 {
      var storedCount = 1
      _ = steps.next(storedCount: &storedCount)
      resumed.append(steps.resumesConnections(byteCountMax: 1024))
    }

    #expect(isPaused && resumed == [false, true, false, false])
  }

  @Test func `a tick is queued only if it is earlier, and not while another is pending`() {
    var ticks = SessionTicks()
    let later = noon.adding(milliseconds: 1)
    let queued = [ticks.queue(later), ticks.queue(later), ticks.queue(noon)]
    let taken = [ticks.take(later), ticks.take(noon), ticks.take(noon)]
    ticks.appended(isPending: true)
    let whilePending = ticks.queue(noon)
    ticks.applied()

    #expect(queued == [true, false, true])
    #expect(taken == [false, true, false])
    #expect(!whilePending && ticks.queue(noon))
  }

  @Test func `a refused tick has one timer, and no other tick is queued until it fires`() {
    var ticks = SessionTicks()
    let refused = [ticks.refused(), ticks.refused()]
    let whileRetrying = ticks.queue(noon)
    ticks.timerFired()

    #expect(refused == [true, false])
    #expect(!whileRetrying && ticks.queue(noon) && ticks.refused())
  }

  @Test func `joins and returns are pending until they are applied`() {
    var attendance = Attendance()
    attendance.joinAppended(joining(nil), isIdentity: false)
    attendance.returnAppended()
    let before = attendance.pendingJoinCount
    attendance.applied(.joined(joining(nil)))
    attendance.applied(.left(ana))
    attendance.applied(.returned(ana, nil))

    #expect(before == 2 && attendance.pendingJoinCount == 0)
  }

  @Test func `the subject of a join identifies its member until the join is applied`() {
    var attendance = Attendance()
    attendance.joinAppended(joining("user"), isIdentity: true)
    let before = attendance.joining(subject: "user")?.member
    attendance.applied(.joined(joining("user")))

    #expect(before == ana && attendance.joining(subject: "user") == nil)
    #expect(attendance.pendingJoinCount == 0)
  }

  @Test func `an older connection does not end that of a member that has connected again`() {
    var attendance = Attendance()
    attendance.connect(ana, ConnectionID(raw: 1))
    attendance.connect(ana, ConnectionID(raw: 2))
    attendance.disconnect(ana, ConnectionID(raw: 1))
    #expect(attendance.connection(of: ana) == ConnectionID(raw: 2))
    attendance.disconnect(ana, ConnectionID(raw: 2))
    #expect(attendance.connectionCount == 0)
  }

  @Test func `presence is broadcast at once, then by one timer per interval`() {
    var presence = PresenceThrottle()
    let first = presence.decide(at: 1000, interval: 50)
    presence.broadcast(at: 1000, byteCount: 99_999)
    let next = (1...2).map { presence.decide(at: 1000 + Int64($0), interval: 50) }
    presence.timerFired()

    #expect(first == .now && next == [.later(due: 1050), .queued])
    #expect(presence.decide(at: 1050, interval: 50) == .now)
  }

  @Test func `the next presence is later after a large one`() {
    var presence = PresenceThrottle()
    presence.broadcast(at: 1000, byteCount: 60_000_000)
    let next = presence.decide(at: 1050, interval: 50)
    presence.timerFired()
    presence.broadcast(at: 1650, byteCount: 0)

    #expect(next == .later(due: 1650))
    #expect(presence.decide(at: 1700, interval: 50) == .now)
  }

  @Test func `twenty changes wait for a large one, in their order`() {
    final class Changes {
      var queue = HostChangeQueue()
      var order: [Int] = []
    }
    let changes = Changes()
    changes.queue.begin()
    for number in 0..<20 {
      #expect(changes.queue.hasRoom)
      performOnHub {
        await withUnsafeContinuation { changes.queue.wait($0) }
        changes.order.append(number)
      }
    }
    #expect(!changes.queue.hasRoom && changes.order.isEmpty)
    changes.queue.end()
    for change in changes.queue.takeWaiting() { change.resume() }

    #expect(changes.order == Array(0..<20) && changes.queue.takeWaiting().isEmpty)
  }
}

/// What a hub does later.
@Suite struct HubScheduleTests {
  private let time = HubTime(session: noon, machine: 0)

  @Test func `no tick is taken and no member leaves while 50 of both are pending`() {
    let buffers = HubBuffers()
    let schedule = HubSchedule(buffers)
    for number in 0..<40 { schedule.addTick(of: SessionID("\(number)"), at: noon) }
    for number in 0..<100 {
      schedule.add(.absence(SessionID("\(number)"), MemberID("m")), due: 0)
    }
    schedule.takeTicks(at: time) { _, _ in buffers.timedStepCount += 1 }
    #expect(buffers.timedStepCount == 40)

    schedule.takeAbsences(at: time) { _ in buffers.timedStepCount += 1 }
    schedule.addTick(of: SessionID("last"), at: noon)
    schedule.takeTicks(at: time) { _, _ in buffers.timedStepCount += 1 }
    #expect(buffers.timedStepCount == 50)
    #expect(schedule.nextDue(at: time, clockRuns: true) == nil)

    buffers.timedStepCount = 49
    #expect(schedule.nextDue(at: time, clockRuns: true) == 0)
  }

  @Test func `a clock that is set back by more than a second is noticed once`() {
    let schedule = HubSchedule(HubBuffers())
    let offsets: [Int64] = [0, -1000, -2001, -2001]
    let noticed = offsets.map { schedule.clockReads(noon.adding(milliseconds: $0)) }
    #expect(noticed == [false, false, true, false])
  }

  @Test func `the queues are compacted after sixteen ends, or when a quarter may be obsolete`() {
    let schedule = HubSchedule(HubBuffers())
    for number in 0..<100 { schedule.add(.idle(SessionID("\(number)")), due: 0) }
    let first = (1...25).first { _ in schedule.noteEnd() }
    schedule.compact(timers: { _, _ in false }, ticks: { _, _ in true })
    let second = (1...25).first { _ in schedule.noteEnd() }

    #expect(first == 25 && second == 16)
    #expect(schedule.counts == (0, 0))
  }
}
