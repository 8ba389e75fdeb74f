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
    guard (try? redefine(change, at: now, &effects)) != nil else { return }
    // That of a session with a shared definition is logged as a merge patch.
    if case .mergePatch(let patch) = change.source, let own = shared?.own {
      shared?.own = own.composing(patch)
    }
  }

  /// - Parameter adoption: The one of which the change is a part, with its notes.
  /// - Throws: ``DefinitionProblem``. Nothing has changed then.
  mutating func redefine(
    _ change: DefinitionChange, _ adoption: Adoption? = nil, at now: Instant,
    _ effects: inout [Effect]
  ) throws(DefinitionProblem) {
    let before = picker
    let results = definition.results
    let weekday = definition.firstWeekday
    var answer = TickAnswer()
    if status == .open {
      answer = try picker.redefine(change.definition, knowing: change.picker)
    } else {
      guard change.definition.kind == definition.kind else {
        throw DefinitionProblem(pointer: "/kind", detail: "kind must stay \"\(definition.kind)\"")
      }
      definedAt = now
      answer.cellsChanged = picker.layOut(like: change.definition)
    }
    definition = change.definition
    version += 1
    let redefinition = Redefinition(
      version: version, definition: definition, isAnnounced: true,
      hasOtherWeekdays: definition.firstWeekday != weekday,
      notes: adoption.flatMap { takeNotes(of: $0) })
    commit(redefinition, answer, before, at: now, &effects)
    noteSight(before: results, &effects)
  }

  /// Applies the definition that the host set while the session was not open. Does nothing if there
  /// is none.
  package mutating func applyPendingDefinition(at now: Instant, _ effects: inout [Effect]) {
    guard let definedAt else { return }
    self.definedAt = nil
    let before = picker
    guard let answer = try? picker.redefine(definition, definedAt: definedAt) else { return }
    if answer.changes.isEmpty, currentResult == result {
      return noteCells(answer, before, &effects)
    }
    let redefinition = Redefinition(
      version: version, definition: definition, isAnnounced: false, hasOtherWeekdays: false,
      notes: nil)
    commit(redefinition, answer, before, at: now, &effects)
  }

  private mutating func commit(
    _ redefinition: Redefinition, _ answer: TickAnswer, _ before: Picker, at now: Instant,
    _ effects: inout [Effect]
  ) {
    if picker.range == nil { forgetTap() }
    let change = SessionChange.definition(
      redefinition, named(answer.changes), tappedBy: tappedBy, rangeBefore: before.range)
    commit(change, hasResult: takeResult(), at: now, &effects)
    noteCells(answer, before, &effects)
  }

  private func noteCells(
    _ answer: TickAnswer, _ before: Picker, _ effects: inout [Effect]
  ) {
    guard answer.cellsChanged else { return }
    effects.append(
      .cellsChanged(CellChange(before: before, after: picker, notes: notes, revision: revision)))
  }
}
