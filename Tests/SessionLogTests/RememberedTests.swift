import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// Members that have left are in snapshots, but not in the checksum, because they are not visible.
@Suite struct RememberedTests {
  /// A session that `m_2` has left, after it has used the picker.
  private func fill(_ log: any SessionLog, limits: SessionLimits = SessionLimits()) throws
    -> LogFixture
  {
    let fixture = try LogFixture(limits: limits, in: log)
    fixture.join("m_1")
    fixture.join("m_2")
    fixture.tap(3, by: "m_2")
    fixture.append(.left(MemberID("m_2")))
    return fixture
  }

  @Test func `the checksum covers the visible state, without refs and former members`()
    throws
  {
    let fold = try fill(MemorySessionLog()).fold
    var (forgotten, later, other) = (fold.state, fold.state, fold.state)
    forgotten.facts.remembered = RememberedMembers()
    later.facts.revision += 1
    other.facts.members = [:]

    let value = StateChecksum(of: fold).value

    #expect(fold.remembered.members.count == 1)
    #expect(StateChecksum(forgotten, fold.picker).value == value)
    #expect(StateChecksum(fold.state.withoutRefsAndNames, fold.picker).value == value)
    #expect(StateChecksum(later, fold.picker).value != value)
    #expect(StateChecksum(other, fold.picker).value != value)
  }

  @Test func `replay reports a snapshot with other members that have left`() throws {
    let shelf = try Shelf()
    let log = try shelf.store()
    let fixture = try fill(log)
    fixture.snapshot()
    log.flush()
    func difference() throws -> ReplayDifference? {
      try shelf.replay(fixture.origin.id).difference
    }

    #expect(try difference() == nil)
    try shelf.write(
      "UPDATE snapshot SET body = CAST(replace(CAST(body AS TEXT), 'm_2', 'm_9') AS BLOB)")

    #expect(try difference() != nil)
  }
}
