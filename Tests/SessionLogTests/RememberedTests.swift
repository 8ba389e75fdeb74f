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
    forgotten.remembered = RememberedMembers()
    later.revision += 1
    other.members = []

    let value = StateChecksum(of: fold).value

    #expect(fold.state.remembered.members.count == 1)
    #expect(StateChecksum(forgotten, fold.picker).value == value)
    #expect(StateChecksum(fold.state.withoutRefs, fold.picker).value == value)
    #expect(StateChecksum(later, fold.picker).value != value)
    #expect(StateChecksum(other, fold.picker).value != value)
  }

  @Test func `after an update, members that have left are read from the snapshot`() async throws {
    var limits = SessionLimits()
    limits.history = 300
    let shelf = try Shelf()
    var log: SQLiteSessionLog? = try shelf.open(limits: limits)
    let fixture = try fill(log!, limits: limits)
    fixture.snapshot()
    fixture.tap(500, by: "m_1")
    fixture.snapshot()
    log!.flush()
    fixture.closeLog()
    log = nil
    // The first snapshot in the form of a version that did not remember members.
    try shelf.write(
      """
      UPDATE snapshot SET rules = NULL, checksum = NULL,
        body = CAST(json_remove(CAST(body AS TEXT), '$.remembered') AS BLOB)
      WHERE place = (SELECT min(place) FROM snapshot)
      """)

    log = try shelf.open(limits: limits, versions: FoldVersions(rules: 2, tzdata: nil))
    let loaded = try #require(
      try await shelf.loaded(fixture.origin.id, from: log!, limits: limits))

    #expect(loaded.fold.origin.epoch == fixture.origin.epoch)
    #expect(loaded.fold.remembered.member(MemberID("m_2")) != nil)
    #expect(loaded.fold.state == fixture.fold.state && loaded.fold.history.count == 300)
  }

  @Test func `replay reports a snapshot with other members that have left`() throws {
    let shelf = try Shelf()
    let log = try shelf.open()
    let fixture = try fill(log)
    fixture.snapshot()
    log.flush()
    func difference() throws -> ReplayDifference? {
      try SQLiteReplay.replay(
        shelf.path, session: fixture.origin.id, at: nil, limits: SessionLimits(),
        versions: FoldVersions(tzdata: "2025a"), zone: { _ in .utc }, each: { _ in }
      ).difference
    }

    #expect(try difference() == nil)
    try shelf.write(
      "UPDATE snapshot SET body = CAST(replace(CAST(body AS TEXT), 'm_2', 'm_9') AS BLOB)")

    #expect(try difference() != nil)
  }
}
