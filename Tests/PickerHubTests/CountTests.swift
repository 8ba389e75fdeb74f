import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// What the hub counts for metrics.
@Suite struct CountTests {
  private func outcomes(
    _ fixture: HubFixture, _ kind: PickerKind
  ) -> [CommandCounts.Outcome: Int] {
    CommandCounts.Outcome.allCases.reduce(into: [:]) { counts, outcome in
      let count = fixture.hub.counters.commands[kind, outcome]
      if count > 0 { counts[outcome] = count }
    }
  }

  @Test func `commands are counted by kind and outcome`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)

    fixture.send(1, select(1, 0, 1))
    fixture.send(1, select(2, 0, 2))
    fixture.send(1, select(2, 0, 2))
    fixture.send(1, select(3, 7, 1))
    fixture.send(1, #"{"type":"undo","ref":4}"#)
    fixture.send(1, #"{"type":"dance","ref":5}"#)

    #expect(outcomes(fixture, .columns) == [.accepted: 3, .unchanged: 1, .refused: 2])
    #expect(
      fixture.hub.counters.commands.refusals == [.columns: [.noSuchColumn: 1, .unknownType: 1]])
    #expect(outcomes(fixture, .date) == [:])
  }

  @Test func `a date that does not exist is counted as clamped`() throws {
    let fixture = try HubFixture(
      #"{"kind":"date","min":"2026-01-01","max":"2026-12-31","initial":"2026-01-31"}"#)
    fixture.join(1)

    fixture.send(1, select(1, 1, 1))

    #expect(outcomes(fixture, .date) == [.clamped: 1])
  }

  @Test func `the refusal of a message that is no command is not counted as a command`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)

    fixture.send(1, #"{"type":"months","from":"2026-11","count":1}"#)

    #expect(outcomes(fixture, .columns) == [:])
    #expect(fixture.hub.counters.commands.refusals == [.columns: [.wrongKind: 1]])
  }

  @Test func `a command is counted when it is applied, or when the log has lost it`() throws {
    let fixture = try HubFixture(letters, canLoad: true)
    fixture.join(1)
    fixture.log.outcome = .pending
    fixture.send(1, select(1, 0, 1))
    fixture.send(1, select(2, 0, 2))
    #expect(outcomes(fixture, .columns) == [:])

    fixture.hub.committed(1, of: fixture.session, at: fixture.now)
    fixture.hub.lost([fixture.session], at: fixture.now)

    #expect(outcomes(fixture, .columns) == [.accepted: 1, .dropped: 1])
  }

  @Test func `a command that the log does not accept is dropped`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.log.outcome = .failed

    fixture.send(1, select(1, 0, 1))

    #expect(outcomes(fixture, .columns) == [.dropped: 1])
  }

  @Test func `bytes of queued steps count until they have run`() throws {
    let fixture = try HubFixture(letters, canLoad: true)
    fixture.join(1)
    fixture.log.outcome = .pending
    for ref in 1...3 { fixture.send(1, select(ref, 0, ref % 3)) }
    #expect(fixture.hub.buffered.stepBytes == 3 * 256)

    fixture.hub.committed(2, of: fixture.session, at: fixture.now)
    #expect(fixture.hub.buffered.stepBytes == 256)
    fixture.hub.lost([fixture.session], at: fixture.now)

    #expect(fixture.hub.buffered.stepBytes == 0)
  }

  @Test func `bytes of outboxes count until they are sent, dropped or closed`() throws {
    var configuration = HubConfiguration()
    configuration.limits.outboxBytes = 600
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    fixture.port.full = [2, 3]
    fixture.join(2)
    fixture.join(3)
    let buffered = fixture.hub.buffered
    let atFirst = buffered.outboxBytes
    #expect(buffered.writeBlockedConnections == 2)

    fixture.send(1, select(1, 0, 1))
    #expect(buffered.outboxBytes > atFirst)
    fixture.port.full = [3]
    fixture.becomeWritable(2)
    #expect(buffered.writeBlockedConnections == 1 && buffered.outboxBytes > 0)
    for ref in 2...9 { fixture.send(1, select(ref, 0, ref % 3)) }
    #expect(buffered.outboxBytes == 0, "dropped: a snapshot will replace them")
    fixture.disconnect(3)

    #expect(buffered.writeBlockedConnections == 0 && buffered.outboxBytes == 0)
  }

  @Test func `paused connections and waiting messages are counted`() throws {
    var configuration = HubConfiguration()
    configuration.limits.queueBytes = 4 * 256
    configuration.limits.messagesPerSecond = 1000
    let fixture = try HubFixture(letters, configuration)
    for raw: UInt64 in 1...2 { fixture.join(raw) }
    fixture.log.outcome = .pending
    for ref in 1...3 {
      fixture.send(1, select(ref, 0, ref % 3))
      fixture.send(2, select(ref, 1, ref % 2))
    }
    #expect(fixture.hub.buffered.pausedConnections == 2)

    fixture.disconnect(2)
    #expect(fixture.hub.buffered.pausedConnections == 1)
    fixture.store()

    #expect(fixture.hub.buffered.pausedConnections == 0)
  }

  @Test func `messages for a session that is being loaded count until it is loaded`() throws {
    let fixture = try HubFixture(letters, canLoad: true)
    fixture.join(1)
    fixture.hub.lost([fixture.session], at: fixture.now)
    fixture.disconnect(1)
    fixture.open(2)

    fixture.send(2, #"{"type":"join"}"#)
    #expect(fixture.hub.buffered.inboxBytes == 64 + 15)
    fixture.disconnect(2)

    #expect(fixture.hub.buffered.inboxBytes == 0)
  }
}
