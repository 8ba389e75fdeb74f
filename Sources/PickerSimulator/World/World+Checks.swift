import PickerHub
import PickerModel
import PickerSession

/// What is checked whenever the hub has been called.
extension World {
  func checkAfterCall() {
    followLogs(isTurnOver: true)
    checkOutboxes()
  }

  /// Folds what the logs have by now, and compares.
  func followLogs(isTurnOver: Bool) {
    for record in records {
      guard let kept = log.kept[record.id] else { continue }
      if kept.hasEnded { record.isEnded = true }
      var replica: Replica
      if let known = replicas[record.id] {
        if known.entryCount == kept.entries.count,
          hub.session(record.id)?.fold.revision == known.fold.revision
        {
          continue
        }
        replica = known
      } else {
        guard let fresh = try? Replica(kept.origin, limits: profile.limits.session) else {
          return breach("what was created can be folded")
        }
        replica = fresh
      }
      if let sentence = replica.follow(kept.entries, isLate: log.isLate) { breach(sentence) }
      replicas[record.id] = replica
      if isTurnOver, let session = hub.session(record.id), !hub.isEnding(record.id) {
        compare(session.fold, replica.fold)
      }
    }
  }

  /// Same log, same state.
  private func compare(_ fold: SessionFold, _ replica: SessionFold) {
    if fold.revision != replica.revision {
      breach("a replay comes to the same revision: \(fold.revision), \(replica.revision)")
    }
    if fold.picker.value != replica.picker.value || fold.picker.columns != replica.picker.columns {
      breach("a replay comes to the same picker")
    }
    if fold.status != replica.status { breach("a replay comes to the same status") }
    if fold.tappedBy != replica.tappedBy || fold.tappedAt != replica.tappedAt {
      breach("a replay comes to the same tap")
    }
    if fold.undoList != replica.undoList { breach("a replay comes to the same undo list") }
    if fold.joinCount != replica.joinCount { breach("a replay comes to the same members") }
    if let last = fold.history.last, last != replica.history.last {
      breach("a replay comes to the same deltas")
    }
  }

  /// All of it, once in a while.
  func compareWholly(_ fold: SessionFold, _ replica: SessionFold) {
    compare(fold, replica)
    if fold.picker.definition.document(full: true) != replica.picker.definition.document(full: true)
    {
      breach("a replay comes to the same definition")
    }
    if fold.members != replica.members || fold.remembered != replica.remembered {
      breach("a replay comes to the same members and refs")
    }
    // A session that has left memory comes back with the end of its history.
    let history = replica.history.suffix(log.canLoad ? fold.history.count : .max)
    if !fold.history.elementsEqual(history) { breach("a replay comes to the same history") }
  }

  /// What waits for a reader stays within its bound, whatever it asks for and however slowly it
  /// reads.
  private func checkOutboxes() {
    let limits = profile.limits
    for link in openLinks where link.isFull {
      guard let waiting = hub.waiting(for: link.id) else { continue }
      if waiting.byteCount > limits.outboxBytes + 300_000 + waiting.count * 2000
        || waiting.count > limits.outboxMessages + 3
      {
        breach("what waits for a slow reader is bounded: \(waiting)")
      }
    }
  }

  /// One encode per delta and language, however many members hear it.
  func checkEncodes(_ encodes: Int, _ deltas: Int) {
    if encodes > deltas * 3 { breach("a delta is written once in each language") }
  }

  /// Whether the hub had a reason to close.
  func judge(_ link: Link, _ code: UInt16) {
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
        isEnded || hub.isEnding(link.session) || log.kept[link.session]?.hasEnded != false
      // The join of an older connection may arrive after that of a newer one.
      case 4409: openLinks.contains { $0 !== link && $0.client == link.client && $0.hasResumed }
      case 4503:
        log.failureCount > 0 || isCrowded || (profile.isLogLate && link.resumeRevision != nil)
      case 4508: !link.hasJoined || link.isSlow || clock.machine - link.openedAt >= 9_000
      case 4529: link.didFlood
      default: false
      }
    if !isJustified { breach("a connection is closed for a reason: \(link.id.raw) \(code)") }
  }
}
