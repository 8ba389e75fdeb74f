import PickerSession

/// Buffers for the outcomes and effects of an entry, so that a tap allocates nothing.
///
/// Invariant: both are empty between calls. The caller returns the effects by ``reuse(_:)``; if an
/// entry is applied before that, it gets an array of its own.
struct EffectBuffers {
  private var outcomes: [Outcome] = []
  private var effects: [SessionEffect] = []

  /// Applies an entry.
  ///
  /// - Returns: Whether the entry counts as activity of the session, and its effects.
  mutating func apply(
    _ entry: LogEntry, to session: Session
  ) -> (isActivity: Bool, effects: [SessionEffect]) {
    var effects: [SessionEffect] = []
    swap(&effects, &self.effects)
    let isActivity = session.apply(entry, &outcomes, &effects)
    return (isActivity, effects)
  }

  /// Takes the storage of effects that have been performed.
  mutating func reuse(_ effects: inout [SessionEffect]) {
    effects.removeLast(effects.count)
    swap(&effects, &self.effects)
  }
}
