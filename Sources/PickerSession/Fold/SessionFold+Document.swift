package import CivilTime
import JSONText
import PickerModel

/// The document: the definition and the notes.
extension SessionFold {
  /// Changes the document.
  ///
  /// The picker of a session that is not open changes when it is reopened, see
  /// ``applyPendingDefinition(at:_:)``. Only the cells of its months move immediately, because the
  /// weekday headings follow the new definition. Notes do not affect the picker, so they can change
  /// while the session is not open; its result has the amounts of before then.
  ///
  /// While the host decides on a confirmation, its notes wait, and a version of the shared
  /// definition does nothing: it comes again afterwards. One that is not valid for the session
  /// leaves it as it is, and is an event. An invalid change of the host changes nothing: it was
  /// checked before it was logged.
  mutating func revise(_ change: DocumentChange, at now: Instant, _ effects: inout [Effect]) {
    tick(to: now, &effects)
    if status == .confirming {
      guard change.follows == nil else { return }
      if let patch = change.notes, decision.hasRoom(for: patch.tree) {
        facts.decision.addNotes(patch.tree)
      }
      guard change.definition != nil else { return }
    }
    if let follows = change.follows, follows.version <= shared?.version ?? 0 { return }
    do throws(DefinitionProblem) {
      try apply(change, at: now, &effects)
      facts.shared?.take(change)
    } catch {
      if inventoryEdit != nil {
        commit(.picker([], tappedBy: nil), hasResult: takeResult(), at: now, &effects)
      }
      guard let follows = change.follows else { return }
      effects.append(.definitionRejected(version: follows.version, error))
      facts.shared?.version = follows.version
    }
  }

  /// - Throws: ``DefinitionProblem``. Nothing has changed then.
  private mutating func apply(
    _ change: DocumentChange, at now: Instant, _ effects: inout [Effect]
  ) throws(DefinitionProblem) {
    if let problem = change.follows?.problem { throw problem }
    if let settings = change.inventory {
      let answer = take(settings)
      // Of a change without definition they are a revision of their own, and so is the end of an
      // inventory, after which cells and rows look different.
      if change.definition == nil || settings == nil {
        commit(
          self.change(named(answer.changes)), hasResult: takeResult(), at: now, &effects)
        noteCells(answer, &effects)
      }
    }
    if let definition = change.definition, !definition.changesOwnPartOnly {
      try redefine(definition, change, at: now, &effects)
    } else if let edit = takeNotes(of: change) {
      commit(.notes(edit), hasResult: takeResult(), at: now, &effects)
    }
  }

  /// - Parameter whole: The change with its notes, which belong to the same revision.
  /// - Throws: ``DefinitionProblem``. Nothing has changed then.
  private mutating func redefine(
    _ change: DefinitionChange, _ whole: DocumentChange, at now: Instant,
    _ effects: inout [Effect]
  ) throws(DefinitionProblem) {
    let results = definition.results
    let weekday = definition.firstWeekday
    var answer = TickAnswer()
    if status == .open {
      answer = try picker.redefine(change.definition, knowing: change.picker)
    } else {
      try definition.kind.check(change.definition.kind)
      facts.definedAt = now
      answer.cellsBefore = picker.layOut(like: change.definition)
    }
    definition = change.definition
    facts.version += 1
    let redefinition = Redefinition(
      version: version, definition: definition, isAnnounced: true,
      hasOtherWeekdays: definition.firstWeekday != weekday, notes: takeNotes(of: whole),
      loss: answer.loss)
    commit(redefinition, answer, at: now, &effects)
    noteSight(before: results, &effects)
  }

  /// Changes the notes, unless they wait for the host's decision.
  ///
  /// - Returns: `nil` if nothing changes.
  private mutating func takeNotes(of change: DocumentChange) -> NotesEdit? {
    guard status != .confirming, let patch = change.notes,
      let effect = patch.change ?? (try? notes.change(by: patch.tree, for: definition.kind)),
      !effect.isEmpty
    else { return nil }
    assert(effect == (try? notes.change(by: patch.tree, for: definition.kind)))
    if let after = patch.after { facts.notes = after } else { facts.notes.apply(effect) }
    if change.follows == nil { facts.shared?.ownNotes.add(effect) }
    return NotesEdit(patch: patch.json, change: effect, locale: definition.locale)
  }

  /// Applies the definition that the host set while the session was not open. Does nothing if there
  /// is none.
  package mutating func applyPendingDefinition(at now: Instant, _ effects: inout [Effect]) {
    guard let definedAt = facts.definedAt else { return }
    facts.definedAt = nil
    guard let answer = try? picker.redefine(definition, definedAt: definedAt) else { return }
    if answer.changes.isEmpty, currentResult == result {
      return noteCells(answer, &effects)
    }
    let redefinition = Redefinition(
      version: version, definition: definition, isAnnounced: false, hasOtherWeekdays: false,
      notes: nil, loss: answer.loss)
    commit(redefinition, answer, at: now, &effects)
  }

  private mutating func commit(
    _ redefinition: Redefinition, _ answer: TickAnswer, at now: Instant, _ effects: inout [Effect]
  ) {
    let change = SessionChange.definition(
      redefinition, named(answer.changes), tappedBy: picker.lastTap?.member)
    commit(change, hasResult: takeResult(), at: now, &effects)
    noteCells(answer, &effects)
  }

  func noteCells(_ answer: TickAnswer, _ effects: inout [Effect]) {
    guard let before = answer.cellsBefore else { return }
    effects.append(
      .cellsChanged(CellChange(before: before, after: picker, notes: notes, revision: revision)))
  }
}
