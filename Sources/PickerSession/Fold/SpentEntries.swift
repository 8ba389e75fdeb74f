/// The part of an entry that must stay in the log once a snapshot covers it, so that replaying the
/// log gives the same deltas and the same state.
package enum LogRemnant: Hashable, Sendable {
  /// The entry itself.
  case entry
  /// A tick at its time: the entry is a refused command, but the tick before it made a delta, or
  /// the entry only moved the bounds of a `date`, see ``Picker/dateBounds``.
  case tick
  /// Nothing: the entry is a refused or repeated command, or it had nothing to change but a
  /// member's name.
  case nothing
}

/// The entries of a log that compaction may remove once a snapshot covers them.
///
/// Replaying the log without them gives the same deltas and the same state, except for the refs
/// that they added to their members' ref books, and for the names of members; the snapshot has
/// those. Any viewer can give a `rename`, so they must not stay.
package struct SpentEntries: Hashable, Sendable {
  /// The sequence numbers of the entries to remove, ascending.
  package private(set) var dropped: [Int] = []
  /// The sequence numbers of the entries to replace by a tick, ascending.
  package private(set) var ticks: [Int] = []

  package init() {}

  package var isEmpty: Bool { dropped.isEmpty && ticks.isEmpty }

  /// Adds the entry with this sequence number, if it is superfluous. Call it in the order of the
  /// log.
  package mutating func note(_ remnant: LogRemnant, sequence: Int) {
    switch remnant {
    case .entry: break
    case .tick: ticks.append(sequence)
    case .nothing: dropped.append(sequence)
    }
  }
}
