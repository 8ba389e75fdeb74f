import CivilTime
import PickerHub
import PickerModel
import PickerSession

/// A session folded from its log alone, beside the hub: what a restart, or another node, would
/// have.
struct Replica {
  private(set) var fold: SessionFold
  /// How many entries of the log it has taken.
  private(set) var entryCount = 0
  /// What stood at each revision that was the last of its entry.
  private(set) var truths: [Int: Truth] = [:]
  /// Every command that was done.
  private var done: Set<Done> = []
  private(set) var deltas: [Delta] = []

  /// A picker as everybody should see it at one revision.
  struct Truth {
    let picker: Picker
    let status: SessionStatus
    let tappedBy: MemberID?
  }

  private struct Done: Hashable {
    let member: MemberID
    let ref: Int
  }

  init(_ origin: SessionOrigin, limits: SessionLimits) throws(DefinitionProblem) {
    fold = try SessionFold(origin, limits: limits)
    note()
  }

  /// Takes what the log has by now.
  ///
  /// - Parameter isLate: Whether a member's role can change between append and apply.
  /// - Returns: The first sentence that is not true of it; `nil` if all are.
  mutating func follow(_ entries: [LogEntry], isLate: Bool) -> String? {
    for entry in entries.dropFirst(entryCount) {
      let before = fold.revision
      var count = 0
      let outcomes = fold.apply(entry)
      if outcomes.contains(where: { $0.isUnneeded(isLate: isLate) }) {
        return "a command that is refused for its type or its member's role is not stored"
      }
      for case .delta(let delta) in outcomes {
        count += 1
        guard delta.revision == before + count else { return "revisions have no gaps" }
        if let author = delta.author {
          let isNew = done.insert(Done(member: author.member, ref: author.ref)).inserted
          guard isNew else { return "a ref is done once: \(author)" }
        }
        deltas.append(delta)
      }
      guard fold.revision == before + count else { return "every revision has its delta" }
      if let sentence = fold.picker._checkInvariants() { return sentence }
      note()
    }
    entryCount = entries.count
    return nil
  }

  private mutating func note() {
    truths[fold.revision] = Truth(
      picker: fold.picker, status: fold.status, tappedBy: fold.tappedBy)
  }
}

extension Outcome {
  /// Whether it is a refusal for which nothing has to be stored.
  fileprivate func isUnneeded(isLate: Bool) -> Bool {
    guard case .answered(_, let answer) = self, case .refused(let refusal, _) = answer.body else {
      return false
    }
    return refusal.code == .unknownType || (refusal.code == .notAllowed && !isLate)
  }
}
