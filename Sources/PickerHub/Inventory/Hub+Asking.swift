import PickerSession

/// Entries that take units of an inventory, or give some back.
///
/// What such an entry asks depends on the session's value when it is applied. It is therefore
/// appended only when nothing is pending: then a copy of the session says what it asks, and the log
/// decides it in the transaction that stores the entry. Entries behind it wait, too.
extension Hub {
  /// Appends an entry for which no step waits.
  ///
  /// - Parameter isFirst: Whether steps wait behind it.
  /// - Returns: As ``append(_:to:at:completion:)``.
  func ask(
    _ entry: LogEntry, arrival: Int64, _ completion: (([Effect]?) -> Void)?,
    isFirst: Bool, in hosted: HostedSession, at time: HubTime
  ) -> Bool {
    var entry = entry
    if let demand = hosted.session.fold.demand(of: entry) {
      let decided = DecidedEntry(entry.body, demand: demand)
      entry = LogEntry(at: entry.at, body: .decided(decided), op: entry.op)
    }
    return append(
      entry, arrival: arrival, completion, isFirst: isFirst, to: hosted, at: time)
  }

  /// Appends an entry that has waited for others.
  func askLater(
    _ entry: LogEntry, arrival: Int64, _ completion: (([Effect]?) -> Void)?,
    in hosted: HostedSession, at time: HubTime
  ) {
    guard !hosted.isEnding else {
      countDropped(entry, in: hosted)
      completion?(nil)
      return
    }
    if ask(entry, arrival: arrival, completion, isFirst: true, in: hosted, at: time) { return }
    // Those who have appended it believe that it is stored.
    if entry.isNews { newsWasRefused(of: hosted) }
    if case .revised = entry.body {
      hosted.followedVersion = 0
      schedule.add(.follow(hosted.id), due: time.machine + retryMilliseconds)
    }
    completion?(nil)
  }
}
