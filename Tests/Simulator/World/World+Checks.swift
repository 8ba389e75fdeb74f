import PickerHub
import PickerModel
import PickerSession

/// Checks after each call of the hub.
extension World {
  func checkAfterCall() {
    compareResidents()
    checkMemoryInventory()
    checkTicks()
    checkOutboxes()
  }

  /// Compares the hub's sessions with the replicas. While entries are being stored, the replicas are
  /// ahead.
  private func compareResidents() {
    for record in records where uncompared.contains(record.id) {
      guard let session = hub.session(record.id), let replica = replicas[record.id],
        !hub.isEnding(record.id), session.fold.origin.epoch == replica.fold.origin.epoch,
        doubted[record.id] == nil
      else { continue }
      if !profile.isStored || session.fold.revision == replica.fold.revision {
        uncompared.remove(record.id)
        compare(session.fold, replica.fold)
      } else if session.fold.revision > replica.fold.revision {
        breach("only what is stored is done: \(session.fold.revision), \(replica.fold.revision)")
      }
    }
  }

  /// Compares the cheap parts of two states of the same revision.
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
    // Entries that make no revision change these, too.
    if !profile.isStored { compareLists(fold, replica) }
    if let last = fold.history.last, replica.history.last?.isSame(as: last) != true {
      breach("a replay has the same deltas")
    }
  }

  private func compareLists(_ fold: SessionFold, _ replica: SessionFold) {
    if fold.undoList != replica.undoList { breach("a replay has the same undo list") }
    if fold.facts.joinCount != replica.facts.joinCount { breach("a replay has the same members") }
  }

  /// Compares the complete states, which is slow.
  func compareWholly(_ fold: SessionFold, _ replica: SessionFold) {
    compare(fold, replica)
    compareLists(fold, replica)
    if fold.inventory != replica.inventory { breach("a replay has the same holds and levels") }
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
    let isShort = profile.isStored || profile.isMemoryShort
    let history = replica.history.suffix(isShort ? fold.history.count : .max)
    if !fold.history.elementsEqual(history, by: { $0.isSame(as: $1) }) {
      breach("a replay has the same history")
    }
  }

  /// Checks that outboxes are bounded, whatever their clients request and however slowly they read.
  private func checkOutboxes() {
    let limits = profile.limits
    for link in links.values where link.isFull && !link.isGoneAtHub {
      guard let waiting = link.node?.hub?.waiting(for: link.id) else { continue }
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
      (hub.contents(of: link.session)?.pending ?? 0) >= profile.limits.session.members
    let isJustified =
      switch code {
      case 1000: link.didLeave
      case 1001: isDraining || link.node?.isStopping == true
      case 4301: link.hasBadCredentials
      case 4400: link.didMisbehave
      case 4404, 4410:
        isEnded || hub.isEnding(link.session) || hasEnded(link.session)
      // The join of an older connection can arrive after that of a newer one.
      case 4409: openLinks.contains { $0 !== link && $0.client == link.client && $0.hasResumed }
      case 4500: failureCount > 0
      case 4503:
        failureCount > 0 || isCrowded || profile.isMemoryShort
          || (profile.isStored && link.resumeRevision != nil)
      case 4508: !link.hasJoined || link.isSlow || clock.machine - link.openedAt >= 9_000
      case 4529: link.didFlood
      default: false
      }
    if !isJustified { breach("a connection is closed for a reason: \(link.id.raw) \(code)") }
  }
}

extension Delta {
  /// Whether both are the same; definitions if their documents are.
  fileprivate func isSame(as other: Delta) -> Bool {
    guard case .definition(let mine, let changes, let tapped) = change,
      case .definition(let others, let otherChanges, let otherTapped) = other.change
    else { return self == other }
    return revision == other.revision && author == other.author && changes == otherChanges
      && tapped == otherTapped && mine.version == others.version && mine.notes == others.notes
      && mine.definition.isSame(as: others.definition)
  }
}
