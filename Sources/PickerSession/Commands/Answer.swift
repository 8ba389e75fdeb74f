package import PickerModel

/// The answer to a command that made no delta of its own. A command that did is answered by that
/// delta, which carries its ref.
package struct Answer: Hashable, Sendable {
  package let ref: Int?
  package let body: Body

  package enum Body: Hashable, Sendable {
    /// The command is done, at this revision. If it had nothing to change, the current revision.
    case reply(revision: Int)
    case refused(Refusal, PickerCorrection)
  }

  package init(ref: Int?, body: Body) {
    self.ref = ref
    self.body = body
  }
}

/// One effect of a log entry on the session, not yet encoded. The hub performs the effects of an
/// entry in the order in which the fold returns them. What is large is indirect, so that the effect
/// of a tap is copied cheaply.
package enum Effect: Hashable, Sendable {
  /// A new revision, for all listeners. The author's copy carries the ref of its command.
  case delta(Delta)
  /// Cells of months changed without a change of the value. Listeners that display such a month get
  /// it again.
  indirect case cellsChanged(CellChange)
  /// For the member's connection, if it has one and the command did not come by HTTP.
  indirect case answered(MemberID, Answer)
  /// A member joined, with the `meta` of its token, or rejoined without one. It is announced after
  /// ``Session/attach(_:)``, so that the others get one message, with the member online.
  indirect case joined(MemberID, meta: String? = nil)
  case roleChanged(MemberID)
  case renamed(MemberID)
  case left(MemberID)
  /// A changed result is to be reported in the feed; members have received it before.
  indirect case resultReported(ResultReport)
  /// The host revoked the tokens of these members.
  indirect case revoked(Revocation.Target)
  indirect case settled(SettleOutcome)
  /// A version of the shared definition is not valid for the session.
  indirect case definitionRejected(version: Int, DefinitionProblem)
  /// A member, or with `nil` everybody who is no owner, may see more or less of the picker.
  case sightChanged(MemberID?)
  /// ``Session/takeUpdates()`` has presence updates to send. The hub may delay them to merge
  /// several. Never of a fold.
  case presence
}

/// A picker before and after the cells of its months changed.
package struct CellChange: Hashable, Sendable {
  package let before: Picker
  package let after: Picker
  package let notes: Notes
  /// The revision at which the cells are those of ``after``. A command of the same entry may have
  /// made a later one.
  package let revision: Int
}
