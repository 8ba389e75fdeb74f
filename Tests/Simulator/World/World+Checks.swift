import PickerHub
import PickerModel
import PickerSession

/// Checks after each call of the hub.
extension World {
  func checkAfterCall() {
    followLogs(isTurnOver: true)
    checkTicks()
    checkOutboxes()
  }

  /// Applies new log entries to the replicas and compares them with the hub's sessions.
  ///
  /// - Parameter isTurnOver: Whether the hub's call has returned; during a call the hub may not
  ///   have applied all entries.
  func followLogs(isTurnOver: Bool) {
    for record in records {
      guard let stored = log.sessions[record.id] else { continue }
      if stored.hasEnded { record.isEnded = true }
      if let known = replicas[record.id], known.entryCount == stored.entries.count,
        hub.session(record.id)?.fold.revision == known.fold.revision
      {
        continue
      }
      // Taken out, because with a second reference each change would copy the whole replica.
      guard
        var replica = replicas.removeValue(forKey: record.id)
          ?? (try? Replica(stored.origin, limits: profile.limits.session))
      else { return breach("a created session can be replayed") }
      if let sentence = replica.follow(stored.entries, isLate: log.isLate) { breach(sentence) }
      replicas[record.id] = replica
      if isTurnOver, let session = hub.session(record.id), !hub.isEnding(record.id) {
        compare(session.fold, replica.fold)
      }
    }
  }

  /// Compares the cheap parts of two states.
  private func compare(_ fold: SessionFold, _ replica: SessionFold) {
    if fold.revision != replica.revision {
      breach("a replay has the same revision: \(fold.revision), \(replica.revision)")
    }
    if fold.picker.value != replica.picker.value || fold.picker.columns != replica.picker.columns {
      breach("a replay has the same picker")
    }
    if fold.picker.availability != replica.picker.availability {
      breach("a replay has the same marks")
    }
    if fold.status != replica.status { breach("a replay has the same status") }
    if fold.undoList != replica.undoList { breach("a replay has the same undo list") }
    if fold.facts.joinCount != replica.facts.joinCount { breach("a replay has the same members") }
    if let last = fold.history.last, last != replica.history.last {
      breach("a replay has the same deltas")
    }
  }

  /// Compares the complete states, which is slow.
  func compareWholly(_ fold: SessionFold, _ replica: SessionFold) {
    compare(fold, replica)
    if fold.unreported != replica.unreported {
      breach("a replay comes to the same unreported result")
    }
    if fold.picker.definition.document(full: true) != replica.picker.definition.document(full: true)
    {
      breach("a replay has the same definition")
    }
    if fold.members != replica.members || fold.remembered != replica.remembered {
      breach("a replay has the same members and refs")
    }
    // A reloaded session has only the last part of its history, and so has one whose history was
    // dropped because memory was short.
    let isShort = log.canLoad || profile.isMemoryShort
    let history = replica.history.suffix(isShort ? fold.history.count : .max)
    if !fold.history.elementsEqual(history) { breach("a replay has the same history") }
  }

  /// Checks that outboxes are bounded, whatever their clients request and however slowly they read.
  private func checkOutboxes() {
    let limits = profile.limits
    for link in links.values where link.isFull && !link.isGoneAtHub {
      guard let waiting = hub.waiting(for: link.id) else { continue }
      if waiting.byteCount > limits.outboxBytes + 300_000 + waiting.count * 2000
        || waiting.count > limits.outboxMessages + 3
      {
        breach("the outbox of a slow client is bounded: \(waiting)")
      }
    }
  }

  /// Checks that a delta is encoded once per language, however many members receive it. There are
  /// three, and with notes, which may differ between all tags, one for each tag and language.
  func checkEncodes(_ encodes: Int, _ deltas: Int, in session: SessionID) {
    let hasNotes = replicas[session]?.fold.notes.isEmpty == false
    let languageCount = hasNotes ? 3 * SimulatedTexts.tags.count : 3
    // Members see an availability in their zones, and each may see only its own marks.
    let isAvailability = records.contains { $0.id == session && $0.isAvailability }
    let sightCount = isAvailability ? (SimulatedZones.names.count + 1) * (clients.count + 1) : 1
    if encodes > deltas * languageCount * sightCount {
      breach("a delta is encoded once in each language and sight")
    }
  }

  /// Checks that the hub had a reason to close a connection with `code`.
  func checkClose(of link: Link, _ code: UInt16) {
    let record = records.first { $0.id == link.session }
    let isEnded = record?.isEnded ?? true
    let isCrowded =
      (hub.inventory(of: link.session)?.pending ?? 0) >= profile.limits.session.members
    let isJustified =
      switch code {
      case 1000: link.didLeave
      case 1001: isDraining
      case 4301: link.hasBadCredentials
      case 4400: link.didMisbehave
      case 4404, 4410:
        isEnded || hub.isEnding(link.session) || log.sessions[link.session]?.hasEnded != false
      // The join of an older connection can arrive after that of a newer one.
      case 4409: openLinks.contains { $0 !== link && $0.client == link.client && $0.hasResumed }
      case 4500: log.failureCount > 0
      case 4503:
        log.failureCount > 0 || isCrowded || profile.isMemoryShort
          || (profile.isLogLate && link.resumeRevision != nil)
      case 4508: !link.hasJoined || link.isSlow || clock.machine - link.openedAt >= 9_000
      case 4529: link.didFlood
      default: false
      }
    if !isJustified { breach("a connection is closed for a reason: \(link.id.raw) \(code)") }
  }
}
