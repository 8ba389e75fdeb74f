/// A time zone: its UTC offsets and the instants at which they change.
///
/// Immutable and shared. The server reads the rules from the system's zone database; this module
/// does not access files. Rules with the same name are equal, because a process has only one set of
/// rules per name.
/// - Source: RFC 9636 section 3.2.
package final class ZoneRules: Sendable {
  /// A change of the UTC offset: the instant in seconds since 1970-01-01T00:00Z, and the new offset
  /// in seconds east of Greenwich.
  package typealias Transition = (at: Int64, offsetSeconds: Int)

  /// The zone's name in the database: `Asia/Shanghai`.
  package let name: String
  private let initialOffsetSeconds: Int
  /// Strictly ascending. Separate from `offsets`, so that a search only accesses the instants.
  private let instants: [Int64]
  private let offsets: [Int32]
  private let footer: PosixZoneRule?
  /// The instant from which ``footer`` determines the offset.
  private let footerStart: Int64

  /// - Parameter initialOffsetSeconds: The offset before the first transition.
  /// - Parameter transitions: Strictly ascending. Transitions that keep the offset are permitted;
  ///   `footer` applies from the last of all transitions.
  /// - Parameter footer: The rule from the last transition on; `nil` if the offset stays constant.
  package init(
    name: String, initialOffsetSeconds: Int, transitions: [Transition], footer: PosixZoneRule?
  ) {
    self.name = name
    self.initialOffsetSeconds = initialOffsetSeconds
    self.footer = footer
    footerStart = transitions.last?.at ?? .min
    var instants: [Int64] = []
    var offsets: [Int32] = []
    var offset = initialOffsetSeconds
    for transition in transitions where transition.offsetSeconds != offset {
      offset = transition.offsetSeconds
      instants.append(transition.at)
      offsets.append(Int32(offset))
    }
    self.instants = instants
    self.offsets = offsets
  }

  package static let utc = ZoneRules(
    name: "UTC", initialOffsetSeconds: 0, transitions: [], footer: nil)
}

extension ZoneRules: Hashable {
  package static func == (left: ZoneRules, right: ZoneRules) -> Bool {
    left === right || left.name == right.name
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension ZoneRules {
  /// Seconds east of Greenwich at `instant`.
  package func offsetSeconds(at instant: Instant) -> Int { offsetSeconds(at: instant.seconds) }

  /// Seconds east of Greenwich at `seconds` since 1970-01-01T00:00Z.
  func offsetSeconds(at seconds: Int64) -> Int {
    if let footer, seconds >= footerStart { return footer.offsetSeconds(at: seconds) }
    let count = countOfTransitions(upTo: seconds)
    return count == 0 ? initialOffsetSeconds : Int(offsets[count - 1])
  }

  /// The first transition after `instant`; `nil` if there is none.
  package func nextTransition(after instant: Instant) -> Transition? {
    nextTransition(after: instant.seconds)
  }

  func nextTransition(after seconds: Int64) -> Transition? {
    let count = countOfTransitions(upTo: seconds)
    if count < instants.count { return (instants[count], Int(offsets[count])) }
    guard let footer else { return nil }
    guard seconds < footerStart else { return footer.nextTransition(after: seconds) }
    // The footer's first offset can differ from the last offset in the list.
    let offset = footer.offsetSeconds(at: footerStart)
    if footerStart > .min, offset != offsetSeconds(at: seconds) { return (footerStart, offset) }
    return footer.nextTransition(after: footerStart)
  }

  /// The number of transitions at or before `seconds`, found by binary search.
  private func countOfTransitions(upTo seconds: Int64) -> Int {
    var low = 0
    var high = instants.count
    while low < high {
      let middle = (low + high) / 2
      if instants[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
