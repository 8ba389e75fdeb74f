package import CivilTime
import JSONText
import PickerModel

extension SessionFold {
  /// Changes the definition.
  ///
  /// The picker of a session that is not open changes when it is reopened, see
  /// ``applyPendingDefinition(at:_:)``. Only the cells of its months move immediately, because the
  /// weekday headings follow the new definition.
  mutating func define(
    _ change: DefinitionChange, at now: Instant, _ effects: inout [Effect]
  ) {
    tick(to: now, &effects)
    if !change.changesOwnPartOnly, (try? redefine(change, at: now, &effects)) == nil { return }
    guard let own = shared?.own else { return }
    if let patch = change.own {
      facts.shared?.own = own.merging(patch)
    } else if case .mergePatch(let patch) = change.source {
      // Of a session with a shared definition, every change is logged as a merge patch.
      facts.shared?.own = own.composing(patch)
    }
  }

  /// - Parameter adoption: The one of which the change is a part, with its notes.
  /// - Throws: ``DefinitionProblem``. Nothing has changed then.
  mutating func redefine(
    _ change: DefinitionChange, _ adoption: Adoption? = nil, at now: Instant,
    _ effects: inout [Effect]
  ) throws(DefinitionProblem) {
    let results = definition.results
    let weekday = definition.firstWeekday
    var answer = TickAnswer()
    if status == .open {
      answer = try picker.redefine(change.definition, knowing: change.picker)
    } else {
      guard change.definition.kind == definition.kind else {
        throw DefinitionProblem(pointer: "/kind", detail: "kind must stay \"\(definition.kind)\"")
      }
      facts.definedAt = now
      answer.cellsBefore = picker.layOut(like: change.definition)
    }
    definition = change.definition
    facts.version += 1
    let redefinition = Redefinition(
      version: version, definition: definition, isAnnounced: true,
      hasOtherWeekdays: definition.firstWeekday != weekday,
      notes: adoption.flatMap { takeNotes(of: $0) }, loss: answer.loss)
    commit(redefinition, answer, at: now, &effects)
    noteSight(before: results, &effects)
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
