package import JSONText
package import PickerModel

/// What a session stores about the decisions of its host.
package struct DecisionState: Hashable, Sendable {
  /// Not `nil` while the status is `confirming`.
  package internal(set) var confirmation: Confirmation?
  /// The host's patches of the notes since then, which are applied afterwards.
  package internal(set) var waitingNotes: [JSONTree] = []
  /// The bytes of ``waitingNotes`` as JSON.
  package private(set) var waitingByteCount = 0
  /// The host's data, part of the result while the status is `confirmed`.
  package internal(set) var data: VerbatimJSON?
  /// The reason of the host's cancel, while the status is `cancelled`.
  package internal(set) var cancelReason: Note.Text?
  /// The last decisions that counted, oldest first.
  package private(set) var settlements: [Settlement] = []
  /// The last confirmations whose late grants were reported, oldest first.
  package private(set) var lateOps: [String] = []
  /// The last confirmations that the session has had, oldest first, however they ended.
  package private(set) var ops: [String] = []
  /// Whether the session has had confirmations that ``ops`` no longer has.
  package private(set) var hasForgottenOps = false

  /// The maximum of ``waitingByteCount``.
  package static let waitingBytesMax = 1_048_576
  /// The maximum number of ``settlements``, ``lateOps`` and ``ops``. A settlement has at most
  /// 6 KiB.
  package static let rememberedMax = 32

  package init() {}

  package init(
    confirmation: Confirmation?, waitingNotes: [JSONTree], data: VerbatimJSON?,
    cancelReason: Note.Text?, settlements: [Settlement], lateOps: [String], ops: [String],
    hasForgottenOps: Bool
  ) {
    self.confirmation = confirmation
    self.ops = ops
    self.hasForgottenOps = hasForgottenOps
    self.data = data
    self.cancelReason = cancelReason
    self.settlements = settlements
    self.lateOps = lateOps
    for patch in waitingNotes { addNotes(patch) }
  }

  mutating func begin(_ confirmation: Confirmation) {
    self.confirmation = confirmation
    ops.append(confirmation.op)
    guard ops.count > DecisionState.rememberedMax else { return }
    ops.removeFirst()
    hasForgottenOps = true
  }

  /// The state after an entry has ended the confirmation, or has reopened the session.
  package mutating func end(by settle: Settle?) {
    confirmation = nil
    data = settle?.data
    cancelReason = nil
  }

  package var isEmpty: Bool {
    confirmation == nil && waitingNotes.isEmpty && data == nil && cancelReason == nil
      && settlements.isEmpty && lateOps.isEmpty && ops.isEmpty
  }

  /// Whether a patch can wait together with those that do already.
  package func hasRoom(for patch: JSONTree) -> Bool {
    waitingByteCount + patch.serialized().count + 64 <= DecisionState.waitingBytesMax
  }

  mutating func addNotes(_ patch: JSONTree) {
    waitingNotes.append(patch)
    waitingByteCount += patch.serialized().count + 64
  }

  mutating func takeNotes() -> [JSONTree] {
    defer { (waitingNotes, waitingByteCount) = ([], 0) }
    return waitingNotes
  }

  mutating func remember(_ settlement: Settlement) {
    settlements.append(settlement)
    if settlements.count > DecisionState.rememberedMax { settlements.removeFirst() }
  }

  mutating func rememberLate(_ op: String) {
    lateOps.append(op)
    if lateOps.count > DecisionState.rememberedMax { lateOps.removeFirst() }
  }

  /// The outcome of a decision on a confirmation that does not wait, or not any more.
  ///
  /// Once confirmations are forgotten, an unknown one may be among them: it counts as late, so that
  /// the host undoes its own side.
  package func outcome(of settle: Settle) -> SettleOutcome {
    guard hasForgottenOps || ops.contains(settle.op) else { return .unknown }
    let known = settlements.first { $0.settle.op == settle.op }
    if let known, known.settle.isSame(as: settle) { return .done(known) }
    let isConfirmed = known?.settle.isGranted == true
    let isReported = settle.isGranted && !isConfirmed && !lateOps.contains(settle.op)
    return .late(reported: isReported ? settle : nil)
  }
}
