import JSONText
import PickerModel
import PickerSession

extension Settle: StoredObject {
  static let fields = StoredFields<Settle>(
    .init("op", \.op), .init("granted", \.isGranted), .init("reason", \.reason),
    .init("data", \.data)
  ) { Settle(op: $0, isGranted: $1, reason: $2, data: $3) }
}

extension Settlement: StoredObject {
  static let fields = StoredFields<Settlement>(
    .init("settle", \.settle), .init("status", \.status), .init("revision", \.revision)
  ) { Settlement(settle: $0, status: $1, revision: $2) }
}

extension Confirmation: StoredObject {
  static let fields = StoredFields<Confirmation>(.init("op", \.op), .init("until", \.until)) {
    Confirmation(op: $0, until: $1)
  }
}

extension DecisionState: StoredObject {
  static let absent: DecisionState? = DecisionState()
  static let fields = StoredFields<DecisionState>(
    .init("confirmation", \.confirmation), .init("notes", \.waitingNotes), .init("data", \.data),
    .init("reason", \.cancelReason), .init("settlements", \.settlements),
    .init("late", \.lateOps), .init("ops", \.ops), .init("forgotten", \.hasForgottenOps)
  ) {
    DecisionState(
      confirmation: $0, waitingNotes: $1, data: $2, cancelReason: $3, settlements: $4,
      lateOps: $5, ops: $6, hasForgottenOps: $7)
  }
}
