package import PickerModel

/// The one answer that a command gets when no delta carries its ref.
package struct Answer: Hashable, Sendable {
  package let ref: Int?
  package let body: Body

  package enum Body: Hashable, Sendable {
    /// Done at this revision, or nothing had to change.
    case reply(revision: Int)
    case refused(Refusal, Standing)
  }

  /// What a refusal shows, so that the member's picker stands where everybody's does.
  package enum Standing: Hashable, Sendable {
    case nothing
    /// The column's selected row, after all its rows if `reloads`.
    case column(Int, reloads: Bool)
    case range
  }

  package init(ref: Int?, body: Body) {
    self.ref = ref
    self.body = body
  }
}

/// What comes of one log entry, in the order in which members hear of it.
package enum Outcome: Hashable, Sendable {
  /// Everybody hears it, the author with its ref.
  case delta(Delta)
  /// Time changed what cells look like: who looks at such a month gets it again.
  indirect case cellsChanged(CellChange)
  case answered(MemberID, Answer)
  case joined(MemberID)
  /// Its role is another one now.
  case roleChanged(MemberID)
  case left(MemberID)
}

/// A calendar before and after time changed its cells.
package struct CellChange: Hashable, Sendable {
  package let before: Picker
  package let after: Picker
  package let notes: Notes
  /// The revision at which the cells are those of ``after``. A command of the same entry may have
  /// made a later one.
  package let revision: Int
}
