package import CivilTime
package import PickerModel

/// Confirmations on which the host decides.
///
/// The order of the log decides between the host, an owner's `cancel` and the end of the time.
/// - Source: web/guide/decide.md.
extension SessionFold {
  /// Makes the current result final, or asks the host to.
  ///
  /// - Parameter op: ``LogEntry/op``. Without one, no decision can name the confirmation: it ends
  ///   with its time or an owner's `cancel`.
  mutating func confirm(op: String?, at now: Instant) -> StatusChange {
    guard let seconds = origin.host.decideSeconds else {
      return StatusChange(.confirmed, result: currentResult)
    }
    let until = min(now.adding(milliseconds: Int64(seconds) * 1000), .last)
    let op = op ?? ""
    facts.decision.begin(Confirmation(op: op, until: until))
    return StatusChange(.confirming, result: currentResult, op: op, until: until)
  }

  /// Applies a decision of the host.
  mutating func settle(_ settle: Settle, at now: Instant, _ effects: inout [Effect]) {
    remnant = .nothing
    let effectCount = effects.count
    tick(to: now, &effects)
    if effects.count > effectCount { remnant = .tick }
    guard let confirmation = decision.confirmation, confirmation.op == settle.op else {
      let outcome = decision.outcome(of: settle)
      if case .late(let reported?) = outcome {
        facts.decision.rememberLate(reported.op)
        remnant = .entry
      }
      return effects.append(.settled(outcome))
    }
    remnant = .entry
    if !settle.isGranted {
      picker.endChoice()
      unbook()
    }
    let change =
      if settle.isGranted {
        StatusChange(.confirmed, result: currentResult, settle: settle)
      } else {
        StatusChange(
          .open, result: currentResult, reason: .denied, settle: settle,
          locale: definition.locale)
      }
    commit(.status(change), at: now, &effects)
    let settlement = Settlement(settle: settle, status: change.status, revision: revision)
    facts.decision.remember(settlement)
    applyWaiting(at: now, &effects)
    effects.append(.settled(.done(settlement)))
  }

  /// Opens the session again if the time of the host is up.
  ///
  /// - Returns: Whether the value or the result has changed.
  mutating func timeOut(at now: Instant, _ effects: inout [Effect]) -> Bool {
    guard let confirmation = decision.confirmation, now >= confirmation.until else { return false }
    let (valueBefore, resultBefore) = (picker.value, result)
    picker.endChoice()
    unbook()
    let change = StatusChange(.open, result: currentResult, op: confirmation.op, reason: .timeout)
    commit(.status(change), at: now, &effects)
    applyWaiting(at: now, &effects)
    return picker.value != valueBefore || result != resultBefore
  }

  /// Applies what came while the session was not open, as far as its status permits now.
  ///
  /// Notes are last: a replay of the log over HTTP has them as lines of their own.
  /// - Parameter last: The revision after which nothing more is applied.
  package mutating func applyWaiting(
    at now: Instant, through last: Int = .max, _ effects: inout [Effect]
  ) {
    if status == .open {
      if revision < last { applyPendingDefinition(at: now, &effects) }
      if revision < last { tick(to: now, &effects) }
    }
    guard !decision.waitingNotes.isEmpty else { return }
    for patch in facts.decision.takeNotes() where revision < last {
      revise(DocumentChange(notes: NotesPatch(patch)), at: now, &effects)
    }
  }

  /// The notes once those that wait are applied.
  package var pendingNotes: Notes { notes.applying(decision.waitingNotes, for: definition.kind) }
}
