package import CivilTime
package import PickerModel

/// Whether a session can be changed.
package enum SessionStatus: String, Sendable {
  case open, confirmed, cancelled
}

/// One step of a session's history: everything that a member needs to follow it.
///
/// An object, because the history, what came of the entry and its effect have the same one.
package final class Delta: Sendable {
  package let revision: Int
  package let at: Instant
  /// Who gave the command; `nil` for a tick.
  package let by: MemberID?
  /// The command's; 0 for a tick.
  package let ref: Int
  private let command: Command?
  package let change: SessionChange
  /// The notes on the rows that the change's reloads send; `nil` if there are none.
  package let notes: RowNotes?
  /// The result after the delta, if it is another one than before.
  package let result: PickerResult?

  /// Who gave the command, and its ref; `nil` for a tick. The fan-out uses ``by`` and ``ref``, so
  /// that it does not copy the command.
  package var author: Author? {
    guard let by, let command else { return nil }
    return Author(member: by, ref: ref, command: command)
  }

  /// Whether only time made it.
  package var isTick: Bool {
    switch change {
    case .definition, .notes: false
    case .picker, .status: by == nil
    }
  }

  /// Rows and entries of the definition, and notes, that the delta holds.
  var weight: Int {
    let own =
      switch change {
      case .definition(let redefinition, _, tappedBy: _, rangeBefore: _):
        redefinition.definition.weight
      case .notes(let edit): edit.patch.valueCount
      case .picker, .status: 0
      }
    return own + (notes?.count ?? 0)
  }

  package struct Author: Hashable, Sendable {
    package let member: MemberID
    package let ref: Int
    package let command: Command
  }

  init(
    revision: Int, at: Instant, author: Author?, change: SessionChange, notes: RowNotes?,
    result: PickerResult?
  ) {
    self.revision = revision
    self.at = at
    by = author?.member
    ref = author?.ref ?? 0
    command = author?.command
    self.change = change
    self.notes = notes
    self.result = result
  }
}

extension Delta: Hashable {
  package static func == (left: Delta, right: Delta) -> Bool {
    left === right
      || left.revision == right.revision && left.at == right.at && left.author == right.author
        && left.change == right.change && left.notes == right.notes
        && left.result == right.result
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(revision)
    hasher.combine(at)
    hasher.combine(by)
    hasher.combine(ref)
  }
}

/// What a delta changes, complete in itself: it can be encoded later, in any language.
package enum SessionChange: Hashable, Sendable {
  /// Changes of what the picker shows; none if time has changed the result alone. Of a range also
  /// the member of its last accepted tap, and the range before.
  case picker([PickerChange], tappedBy: MemberID?, rangeBefore: DateRange?)
  /// The host gave another definition, with what the picker shows for it.
  case definition(
    Redefinition, [PickerChange], tappedBy: MemberID?, rangeBefore: DateRange?)
  /// The host changed notes.
  case notes(NotesEdit)
  /// The result only with `confirmed`.
  case status(SessionStatus, result: PickerResult?)
}

/// Another definition of a session.
package struct Redefinition: Hashable, Sendable {
  package let version: Int
  package let definition: Definition
  /// Whether the definition is new to the members; not when a reopened session applies it.
  package let isAnnounced: Bool
  /// Whether the weeks begin with another day.
  package let hasOtherWeekdays: Bool
}

extension SessionChange {
  /// What the picker shows, if it has changed.
  package var pickerChanges: [PickerChange] {
    switch self {
    case .picker(let changes, tappedBy: _, rangeBefore: _),
      .definition(_, let changes, tappedBy: _, rangeBefore: _):
      changes
    case .status, .notes: []
    }
  }

  /// The range before and after, if it has changed.
  package var ranges: (before: DateRange?, after: DateRange?)? {
    switch self {
    case .picker(let changes, tappedBy: _, let before),
      .definition(_, let changes, tappedBy: _, let before):
      for case .range(let moved) in changes { return (before, moved.range) }
      return nil
    case .status, .notes: return nil
    }
  }
}
