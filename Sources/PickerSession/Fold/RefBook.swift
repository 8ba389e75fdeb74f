package import DequeModule
package import PickerModel

/// The refs and outcomes of one member's last commands, so that a command sent again is answered
/// but not executed again.
///
/// - Source: web/guide/README.md, "What to store, and when to send again".
package struct RefBook: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// The command was executed at this revision, or had nothing to change then.
    case done(revision: Int)
    /// Indirect, so that the entries of commands that were executed are small.
    indirect case refused(Refusal)
  }

  package struct Entry: Hashable, Sendable {
    package let ref: Int
    package let outcome: Outcome

    package init(ref: Int, outcome: Outcome) {
      self.ref = ref
      self.outcome = outcome
    }

    fileprivate var byteCount: Int {
      switch outcome {
      case .done: 64
      case .refused: 1024
      }
    }
  }

  package private(set) var entries: Deque<Entry>
  /// The greatest ref ever added, also after its entry was removed; 0 before the first.
  package private(set) var greatest: Int

  package init(entries: some Sequence<Entry> = [], greatest: Int = 0) {
    self.entries = Deque(entries)
    self.greatest = greatest
  }

  /// The outcome of the command with this ref; `nil` if it is new or no longer known.
  package func outcome(of ref: Int) -> Outcome? {
    guard ref <= greatest else { return nil }
    return entries.last { $0.ref == ref }?.outcome
  }

  /// Whether `ref` is between the known refs without being one of them. Refs are added in ascending
  /// order, so a command with such a ref was never executed.
  func isGap(_ ref: Int) -> Bool {
    guard let oldest = entries.first?.ref, ref > oldest, ref < greatest else { return false }
    return outcome(of: ref) == nil
  }

  /// An upper bound of the memory of the entries, in bytes.
  ///
  /// A fixed size per outcome, independent of the texts of refusals: the limit of
  /// ``RememberedMembers`` is part of the fold, so each version of the server must remove the same
  /// entries.
  package var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }

  /// Removes the entries but not ``greatest``.
  mutating func forgetEntries() { entries = [] }

  /// Adds `ref`, and removes the oldest entry if there are more than `countMax`.
  mutating func remember(_ ref: Int, _ outcome: Outcome, countMax: Int) {
    entries.append(Entry(ref: ref, outcome: outcome))
    if entries.count > countMax { entries.removeFirst() }
    greatest = max(greatest, ref)
  }
}
