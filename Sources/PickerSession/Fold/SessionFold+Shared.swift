import CivilTime
import PickerModel

extension SessionFold {
  /// Follows the shared definition to a version.
  ///
  /// A version that is not valid for the session leaves it as it is, and is an event. While the
  /// host decides on a confirmation, nothing happens; the version comes again afterwards.
  mutating func adopt(_ adoption: Adoption, at now: Instant, _ outcomes: inout [Outcome]) {
    tick(to: now, &outcomes)
    guard status != .confirming, adoption.version > shared?.version ?? 0 else { return }
    do throws(DefinitionProblem) {
      if let problem = adoption.problem { throw problem }
      if let change = adoption.define {
        try redefine(change, adoption, at: now, &outcomes)
      } else if let edit = takeNotes(of: adoption) {
        commit(.notes(edit), hasResult: takeResult(), at: now, &outcomes)
      }
      shared?.accepted = adoption.version
    } catch {
      outcomes.append(.definitionRejected(version: adoption.version, error))
    }
    shared?.version = adoption.version
  }

  /// Changes the notes.
  ///
  /// - Returns: `nil` if nothing changes.
  mutating func takeNotes(of adoption: Adoption) -> NotesEdit? {
    guard let patch = adoption.notes,
      let change = patch.change ?? (try? notes.change(by: patch.tree, for: definition.kind)),
      !change.isEmpty
    else { return nil }
    if let after = adoption.notesAfter { notes = after } else { notes.apply(change) }
    return NotesEdit(patch: patch.tree, change: change, locale: definition.locale)
  }
}
