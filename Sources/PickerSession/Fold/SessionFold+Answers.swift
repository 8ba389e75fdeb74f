import PickerModel

extension SessionFold {
  /// The answer to a command that was executed or refused before.
  func repeated(_ outcome: RefBook.Outcome, of author: Delta.Author) -> Answer {
    switch outcome {
    case .done(let revision): Answer(ref: author.ref, body: .reply(revision: revision))
    case .refused(let refusal): refused(refusal, author)
    }
  }

  /// A refusal with the current state that the sender needs.
  func refused(_ refusal: Refusal, _ author: Delta.Author) -> Answer {
    Answer(
      ref: author.isHost ? nil : author.ref,
      body: .refused(refusal, correction(for: author.command, refusal)))
  }

  private func correction(for command: Command, _ refusal: Refusal) -> Answer.Correction {
    switch command {
    case .select(let selection):
      guard picker.columns.indices.contains(selection.column) else { return .nothing }
      return .column(selection.column, reloads: refusal.code == .staleColumn)
    case .tap: return definition.kind.showsMonths ? .range : .nothing
    case .clear, .undo, .redo, .confirm, .confirmWindow, .cancel, .reopen, .mark, .importMarks,
      .rename, .unknown:
      return .nothing
    }
  }
}
