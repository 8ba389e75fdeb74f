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
  case cellsChanged(before: Picker)
  case answered(MemberID, Answer)
  case joined(MemberID)
  /// Its role is another one now.
  case roleChanged(MemberID)
  case left(MemberID)
}
