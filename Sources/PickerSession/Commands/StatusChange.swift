package import CivilTime
package import JSONText
package import PickerModel

/// Only an open session accepts commands that change its picker.
package enum SessionStatus: String, Sendable {
  case open
  /// Confirmed by an owner; the host has not decided yet.
  case confirming
  case confirmed, cancelled

  /// Whether a tick can change anything.
  package var passesTime: Bool {
    switch self {
    case .open, .confirming: true
    case .confirmed, .cancelled: false
    }
  }
}

/// A change of a session's status.
package struct StatusChange: Hashable, Sendable {
  package let status: SessionStatus
  /// The result after the change; members receive it with `confirming` and `confirmed`.
  package let result: PickerResult
  /// The id of the confirmation that begins or ends; `nil` if ``settle`` has it.
  package var op: String?
  /// With `confirming`: when it is open again without a decision.
  package var until: Instant?
  /// With `open` after `confirming`, unless an owner cancelled.
  package var reason: Reason?
  /// The host's decision, if that changed the status.
  package var settle: Settle?
  /// The reason of the host's cancel; with `open` it has taken back a confirmation.
  package var text: Note.Text?
  /// The definition's, used if a text of the host has none in a member's language.
  package let locale: String

  package enum Reason: String, Sendable {
    case denied, timeout
  }

  package init(
    _ status: SessionStatus, result: PickerResult, op: String? = nil, until: Instant? = nil,
    reason: Reason? = nil, settle: Settle? = nil, text: Note.Text? = nil,
    locale: String = ""
  ) {
    self.status = status
    self.result = result
    self.op = op
    self.until = until
    self.reason = reason
    self.settle = settle
    self.text = text
    self.locale = locale
  }

  /// Whether it has a text of the host, which depends on the language.
  package var hasText: Bool { text != nil || settle?.reason != nil }

  /// The host's data, which is part of the result.
  package var data: VerbatimJSON? { status == .confirmed ? settle?.data : nil }
}
