package import DequeModule
package import PickerModel

/// The refs of one member's last commands and how each was answered, so that none is done twice.
/// - Source: protocol.md, "Refs".
package struct RefBook: Hashable, Sendable {
  /// What came of a command.
  package enum Outcome: Hashable, Sendable {
    /// Done, or nothing had to change, at this revision.
    case done(revision: Int)
    case refused(Refusal)
  }

  /// One remembered command.
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
  /// The greatest ref ever remembered; 0 before the first.
  package private(set) var greatest: Int

  package init(entries: some Sequence<Entry> = [], greatest: Int = 0) {
    self.entries = Deque(entries)
    self.greatest = greatest
  }

  /// What came of the command with this ref; `nil` if it is not known.
  package func outcome(of ref: Int) -> Outcome? {
    guard ref <= greatest else { return nil }
    return entries.last { $0.ref == ref }?.outcome
  }

  /// Whether a ref lies among those remembered without being one of them. Refs are remembered in
  /// growing order, so a command with this one has not been done.
  func isGap(_ ref: Int) -> Bool {
    guard let oldest = entries.first?.ref, ref > oldest, ref < greatest else { return false }
    return outcome(of: ref) == nil
  }

  /// Bytes that the entries take, at most. Counted by what an entry is, not by its texts, so that
  /// every version of this server forgets the same ones.
  package var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }

  /// Forgets how commands were answered, not which ref was the greatest.
  mutating func forgetEntries() { entries = [] }

  /// Remembers `ref`, and forgets the oldest when there are more than `countMax`.
  mutating func remember(_ ref: Int, _ outcome: Outcome, countMax: Int) {
    entries.append(Entry(ref: ref, outcome: outcome))
    if entries.count > countMax { entries.removeFirst() }
    greatest = max(greatest, ref)
  }
}
