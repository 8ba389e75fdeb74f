/// What has to stay of an entry once a snapshot covers it, so that folding the log again gives the
/// same deltas and the same state.
package enum LogRemnant: Hashable, Sendable {
  /// The entry itself.
  case entry
  /// A tick at its time: of a refused command before which time changed what members see.
  case tick
  /// Nothing: a refused or repeated command, or one that found everything as it wants it.
  case nothing
}

/// Entries of a log that a snapshot makes superfluous.
///
/// Folding the log without them gives the same deltas and the same state, except for the refs that
/// they added to their members' ref books. Those are restored from the snapshot.
package struct SpentEntries: Hashable, Sendable {
  /// Sequence numbers of the entries of which nothing stays.
  package private(set) var dropped: [Int] = []
  /// Sequence numbers of the commands of which a tick stays.
  package private(set) var ticks: [Int] = []

  package init() {}

  package var isEmpty: Bool { dropped.isEmpty && ticks.isEmpty }

  /// Notes the entry with the sequence number `place`.
  package mutating func note(_ remnant: LogRemnant, place: Int) {
    switch remnant {
    case .entry: break
    case .tick: ticks.append(place)
    case .nothing: dropped.append(place)
    }
  }
}
