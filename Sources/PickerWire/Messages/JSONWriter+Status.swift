import CivilTime
import JSONText
import PickerModel
import PickerSession

/// The status of a session, and the result with what the host added to it.
///
/// - Source: web/client/api/asyncapi.json; web/guide/decide.md.
extension JSONWriter {
  /// A change of type `status`.
  mutating func status(_ change: StatusChange, sight: Sight, texts: any RowTexts) {
    literal("{\"change\":\"status\",\"status\":", change.status.rawValue)
    switch change.status {
    case .confirming, .confirmed:
      literal(",\"result\":")
      result(sight.seen(change.result, status: change.status), data: change.data)
    case .open, .cancelled: break
    }
    if let until = change.until { self.until(until) }
    if let reason = change.reason { literal(",\"reason\":", reason.rawValue) }
    if change.status == .cancelled {
      reason(change.text, texts: texts, locale: change.locale)
    } else if change.status == .open, let detail = change.text ?? change.settle?.reason {
      literal(",\"detail\":", detail.text(for: texts.noteTag, fallback: change.locale))
    }
    literal("}")
  }

  /// `,"reason":"…"`, if the host has cancelled with one.
  mutating func reason(_ reason: Note.Text?, texts: any RowTexts, locale: String) {
    guard let reason else { return }
    literal(",\"reason\":", reason.text(for: texts.noteTag, fallback: locale))
  }

  /// `,"until":"…"`
  mutating func until(_ until: Instant) {
    literal(",\"until\":", until.rfc3339)
  }

  /// A result, with the data of the host that confirmed it, if any.
  mutating func result(_ result: PickerResult, data: VerbatimJSON?) {
    result.write(to: &self, data: data)
  }

  /// `,"op":"…","until":"…"` while the host decides.
  mutating func confirmation(_ confirmation: Confirmation?) {
    guard let confirmation else { return }
    literal(",\"op\":", confirmation.op)
    until(confirmation.until)
  }

  /// The host's decision, as a log has it: with the data of a denial only the event has it, which
  /// members cannot read.
  mutating func settle(_ settle: Settle) {
    tree(.object(settle.members))
    guard settle.isGranted, let data = settle.data else { return }
    removeLast(1)
    literal(",\"data\":")
    verbatim(data)
    literal("}")
  }
}

extension Delta {
  /// The host's data in the result after the delta.
  var data: VerbatimJSON? { if case .status(let change) = change { change.data } else { nil } }
}
