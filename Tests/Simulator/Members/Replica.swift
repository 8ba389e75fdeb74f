import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession

/// A session that is computed only from its log, independent of the hub: the state that a restarted
/// server would have.
struct Replica {
  private(set) var fold: SessionFold
  /// The state that the log gives without its spent entries.
  private var compacted: SessionFold
  /// The number of applied entries.
  private(set) var entryCount = 0
  /// The state at each revision, except for revisions that are followed by another one of the same
  /// entry.
  private(set) var truths: [Int: Truth] = [:]
  /// The events that the feed must have.
  private(set) var eventTypes = [FeedEventType.created]
  /// The revisions of all executed commands.
  private var done: [Done: Int] = [:]
  /// The commands that the inventory has decided.
  private var asked: Set<Done> = []
  private(set) var deltas: [Delta] = []
  /// The locales of all definitions that the session has had.
  private(set) var locales: Set<String>
  /// How often each confirmation was confirmed by the host.
  private(set) var confirmedOps: [String: Int] = [:]
  /// How often the host was asked to undo its own side of one.
  private(set) var lateOps: [String: Int] = [:]
  /// The notes that the session has had since the oldest request for them that is unanswered.
  private var requestedNotes: [Notes] = []
  /// The last notes that the session has had.
  private var lastNotes: [Notes] = []
  /// Of an availability.
  private var ledger: MarkLedger?
  /// The ids of all members that the session has had.
  private(set) var memberIDs: Set<String> = []
  /// The number of requests for the notes that are unanswered.
  private var notesRequestCount = 0

  /// The state that all clients must have at one revision.
  struct Truth {
    let picker: Picker
    /// The current definition; the picker of a session that is not open may have an older one.
    let definition: Definition
    let version: Int
    let notes: Notes
    let result: PickerResult
    let status: SessionStatus
    let inventory: KnownInventory?
  }

  private struct Done: Hashable {
    let member: MemberID
    let ref: Int
  }

  init(_ origin: SessionOrigin, limits: SessionLimits) throws(DefinitionProblem) {
    fold = try SessionFold(origin, limits: limits)
    compacted = fold
    locales = [origin.definition.locale]
    ledger = MarkLedger(fold)
    note()
  }

  /// The revision of an executed command.
  func revision(of ref: Int, by member: MemberID) -> Int? { done[Done(member: member, ref: ref)] }

  /// Whether the log has a mark of a member as it was sent.
  func hasDone(_ mark: JSONTree, by member: String) -> Bool {
    guard let ref = mark["ref"]?.integer, let done = ledger?.done[ref]?[member] else {
      return false
    }
    let runs = mark["cells"]?.array?.map { $0.array?.compactMap(\.integer) ?? [] }
    return done.grade == mark["grade"]?.string && done.generation == mark["generation"]?.integer
      && done.cells.map { [$0.lowerBound, $0.upperBound] } == runs
  }

  private func isOfViewer(_ entry: LogEntry) -> Bool {
    guard case .command(let member, ref: _, _, _) = entry.body.undecided else { return false }
    return fold.members[member]?.role == .viewer
  }

  /// Applies an entry.
  ///
  /// - Parameter isLate: Whether a member's role can change between append and apply.
  /// - Returns: The first invariant that does not hold, as a sentence; `nil` if all hold.
  mutating func follow(_ entry: LogEntry, isLate: Bool) -> String? {
    entryCount += 1
    if let sentence = checkDecided(entry) { return sentence }
    let before = fold.revision
    let definition = fold.picker.definition
    var count = 0
    let isKnown = !isLate && isOfViewer(entry)
    let now = fold.time(of: entry)
    let effects = fold.apply(entry)
    eventTypes += effects.flatMap { fold.events(of: $0, at: now).map(\.type) }
    if effects.contains(where: { $0.isUnneeded(isOfViewer: isKnown) }) {
      return "a command that is refused for its type, or because of a viewer, is not logged"
    }
    for case .delta(let delta) in effects {
      count += 1
      guard delta.revision == before + count else { return "revisions have no gaps" }
      if let author = delta.author {
        let author = Done(member: author.member, ref: author.ref)
        let before = done.updateValue(delta.revision, forKey: author)
        guard before == nil else { return "a ref is executed once: \(author)" }
      }
      deltas.append(delta)
    }
    note(effects, of: entry)
    guard fold.revision == before + count else { return "every revision has its delta" }
    if let sentence = fold.picker._checkInvariants() { return sentence }
    guard fold.members.count <= fold.limits.members else { return "members have a maximum" }
    if case .joined(let joining) = entry.body { memberIDs.insert(joining.member.text) }
    if let sentence = ledger?.follow(entry, effects, to: fold) { return sentence }
    if let sentence = checkDefinition(before: definition) { return sentence }
    if let sentence = checkLate(entry, effects) { return sentence }
    if let sentence = checkCompacted(entry) { return sentence }
    note()
    return nil
  }

  /// Checks that the definition of an open session allows its value, if the last entry has changed
  /// the definition. A tap can make a range whose first day is blocked, if `allowBlockedInside` is
  /// set; the next definition clears it.
  ///
  /// - Parameter before: The picker's definition before the entry.
  private mutating func checkDefinition(before: Definition) -> String? {
    locales.insert(fold.definition.locale)
    guard fold.status == .open else { return nil }
    guard fold.picker.definition === fold.definition else {
      return "an open session has its current definition"
    }
    if fold.picker.definition === before { return nil }
    var same = fold.picker
    // A definition may have no bounds any more, such as one whose `max` is before today: then the
    // picker has those of the time at which the host defined it.
    guard let answer = try? same.redefine(fold.definition) else { return nil }
    return answer.changes.isEmpty
      ? nil : "the value after a definition change is legal under that definition"
  }

  /// Checks that the inventory has decided a command of a member once, however often it was sent.
  private mutating func checkDecided(_ entry: LogEntry) -> String? {
    guard case .decided(let decided) = entry.body else { return nil }
    if decided.outcome == nil { return "an entry is stored with its outcome" }
    guard case .command(let member, ref: let ref, _, _) = decided.body, member != .host else {
      return nil
    }
    let isNew = asked.insert(Done(member: member, ref: ref)).inserted
    return isNew ? nil : "a command is decided once: \(member.text), \(ref)"
  }

  /// Checks that what compaction leaves of the log gives the same delta and the same picker.
  private mutating func checkCompacted(_ entry: LogEntry) -> String? {
    switch fold.remnant {
    case .entry: _ = compacted.apply(entry)
    case .tick: _ = compacted.apply(LogEntry(at: entry.at, body: .tick))
    case .nothing: break
    }
    guard compacted.revision == fold.revision, compacted.history.last == fold.history.last else {
      return "a compacted log has the same deltas"
    }
    guard compacted.reached == fold.reached, compacted.unreported == fold.unreported
    else { return "a compacted log has the same times" }
    var picker = compacted.picker
    _ = picker.tick(fold.picker.asOf)
    return picker.state == fold.picker.state ? nil : "a compacted log gives the same picker"
  }

  /// Checks that a command with `at` was done only if its author had seen the value and the status:
  /// a member all changes but its own, the host all.
  private func checkLate(_ entry: LogEntry, _ effects: [Effect]) -> String? {
    guard
      case .command(let author, ref: let ref, let command, .at(let seen)?) = entry.body.undecided
    else { return nil }
    if command == .act(.clear), fold.definition.kind == .availability, author != .host {
      return nil
    }
    var own: Delta?
    for case .delta(let delta) in effects where own == nil {
      let isOwn = author == .host ? delta.isHostCommand : delta.by == author && delta.ref == ref
      if isOwn { own = delta }
    }
    let later = deltas.reversed().prefix { $0.revision > seen }
    let isUnseen = later.contains { delta in
      delta.changesValueOrStatus && (author == .host || delta.by != author)
        && delta.revision < own?.revision ?? .max
    }
    if own != nil, isUnseen { return "a command that its author gave before a change is stale" }
    guard author == .host, case .answered(_, let answer)? = effects.last,
      case .refused(let refusal, _) = answer.body, refusal.code == .stale
    else { return nil }
    return isUnseen || seen > fold.revision ? nil : "a command of the host is stale for a reason"
  }

  private mutating func note(_ effects: [Effect], of entry: LogEntry) {
    guard case .settle(let settle) = entry.body.undecided else { return }
    if effects.contains(.settled(.late(reported: settle))) { lateOps[settle.op, default: 0] += 1 }
    for case .delta(let delta) in effects {
      guard case .status(let change) = delta.change, change.status == .confirmed else { continue }
      confirmedOps[settle.op, default: 0] += 1
    }
  }

  private mutating func note() {
    if lastNotes.last != fold.pendingNotes { lastNotes = lastNotes.suffix(9) + [fold.pendingNotes] }
    if notesRequestCount > 0, requestedNotes.last != fold.pendingNotes {
      requestedNotes.append(fold.pendingNotes)
    }
    truths[fold.revision] = Truth(
      picker: fold.picker, definition: fold.definition, version: fold.version, notes: fold.notes,
      result: fold.result, status: fold.status, inventory: fold.inventory)
  }
}

/// Requests for the notes. Many notes are encoded on another thread, so an answer has the notes of
/// any time between request and answer.
extension Replica {
  /// - Parameter isLate: Whether the hub may not have applied the last entries yet.
  mutating func requestNotes(isLate: Bool) {
    notesRequestCount += 1
    if isLate { requestedNotes += lastNotes }
    if requestedNotes.last != fold.pendingNotes { requestedNotes.append(fold.pendingNotes) }
  }

  /// - Parameter body: The answer; `nil` if the request was refused.
  /// - Returns: Whether the session has had these notes since the request.
  mutating func receiveNotes(_ body: [UInt8]?) -> Bool {
    // The request was of a former epoch.
    guard notesRequestCount > 0 else { return true }
    let isRight =
      body.map { body in requestedNotes.contains { $0.tree.serialized() == body } } ?? true
    notesRequestCount -= 1
    if notesRequestCount == 0 { requestedNotes = [] }
    return isRight
  }

  /// The requests are not answered, because the process was killed.
  mutating func dropNotesRequests() { (requestedNotes, notesRequestCount) = ([], 0) }
}

extension Delta {
  fileprivate var changesValueOrStatus: Bool {
    if case .status = change { return true }
    if isOfOpenOnly { return false }
    let (before, after) = change.ranges ?? (nil, nil)
    return result != nil || before?.start != after?.start || before?.end != after?.end
      || before?.hits != after?.hits
  }

  /// Whether it says of the same rows of a cascade that they can be had now, or cannot.
  private var isOfOpenOnly: Bool {
    guard case .inventory = change, case .keys = result?.value, inventory?.units == nil else {
      return false
    }
    return !change.pickerChanges.contains { if case .columns(.row) = $0 { true } else { false } }
  }
}

extension Effect {
  /// Whether it is a refusal that must not be logged.
  /// - Parameter isOfViewer: Whether the hub knew that the member is a viewer.
  fileprivate func isUnneeded(isOfViewer: Bool) -> Bool {
    guard case .answered(_, let answer) = self, case .refused(let refusal, _) = answer.body else {
      return false
    }
    return refusal.code == .unknownType || (refusal.code == .notAllowed && isOfViewer)
  }
}
