import CivilTime
import PickerModel

/// The commands of an `availability`.
extension SessionFold {
  mutating func mark(_ mark: CellMark, by member: MemberID) throws(Refusal) -> SessionChange? {
    let markLimits = MarkLimits(respondentsMax: limits.members, runsMax: limits.runs)
    let changes = try picker.mark(mark, by: member.text, markLimits)
    return change(named(changes), rangeBefore: nil)
  }

  /// Marks what a host knows of a member; nothing if the member is unknown.
  mutating func take(_ marks: MarkImport) throws(Refusal) -> SessionChange? {
    let id = MemberID(marks.member)
    guard members[id] != nil || remembered.member(id) != nil else { return nil }
    let markLimits = MarkLimits(respondentsMax: limits.members, runsMax: limits.runs)
    return change(named(try picker.take(marks, markLimits)), rangeBefore: nil)
  }

  mutating func clearMarks(of member: MemberID) throws(Refusal) -> SessionChange? {
    let changes = try picker.clearMarks(of: member.text)
    return change(named(changes), rangeBefore: nil)
  }

  /// Whether a command is about marks that nobody else can change, so that it is never late.
  func isAboutOwnMarks(_ command: Command) -> Bool {
    command == .clear && definition.kind == .availability
  }

  /// Makes the window that starts at a cell final, or asks the host to.
  mutating func confirm(
    cell: Int, generation: Int, op: String?, at now: Instant, hasElapsed: Bool
  ) throws(Refusal) -> SessionChange? {
    try picker.choose(cell: cell, generation: generation)
    if hasElapsed {
      picker.endChoice()
      throw Refusal(.elapsed, "the result has changed with time; check it and confirm again")
    }
    return .status(confirm(op: op, at: now))
  }

  /// Ticks an `availability`. Without a copy of the picker before: marks are copied when they are
  /// changed while there is another reference.
  mutating func tickAvailability(to now: Instant, _ outcomes: inout [Outcome]) -> Bool {
    let changes = named(picker.tick(now).changes)
    let hasResult = takeResult()
    guard !changes.isEmpty || hasResult else { return false }
    commit(
      .picker(changes, tappedBy: nil, rangeBefore: nil), hasResult: hasResult, at: now, &outcomes)
    return hasResult
  }

  /// The changes with the names and colours of the members that they are about, so that they can be
  /// encoded later.
  func named(_ changes: [PickerChange]) -> [PickerChange] {
    changes.map { change in
      guard case .marks(var marks) = change else { return change }
      let id = MemberID(marks.respondent)
      let member = members[id] ?? remembered.member(id)
      marks.name = member?.name ?? ""
      marks.color = member?.color ?? ""
      return .marks(marks)
    }
  }
}
