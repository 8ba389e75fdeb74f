import CivilTime
import JSONText
import PickerModel
import PickerSession

/// Writes the state of a session.
///
/// - Source: web/client/api/asyncapi.json.
extension JSONWriter {
  /// `{"definition","version","status","result"}` with the state of the picker.
  mutating func snapshot(
    _ fold: SessionFold, sight: Sight = .everything, definitionJSON: [UInt8]? = nil,
    texts: any RowTexts, windowRows: Int
  ) {
    pickerSnapshot(
      fold.picker, definition: fold.definition, definitionJSON: definitionJSON,
      version: fold.version, notes: fold.notes, result: fold.result, status: fold.status,
      decision: fold.decision, host: fold.origin.host, inventory: fold.inventory,
      sight: sight, texts: texts, windowRows: windowRows,
      respondent: { fold.knownMember($0)?.respondent })
  }

  /// The same for a picker that is not in a session.
  ///
  /// - Parameter definitionJSON: The value of `definition`; default: as members receive it.
  mutating func pickerSnapshot(
    _ picker: Picker, definition: Definition, definitionJSON: [UInt8]? = nil, version: Int,
    notes: Notes, result: PickerResult, status: SessionStatus,
    decision: DecisionState = DecisionState(), host: HostFields = HostFields(),
    inventory: KnownInventory? = nil,
    sight: Sight = .everything, texts: any RowTexts, windowRows: Int,
    respondent: (MemberID) -> Respondent? = { _ in nil }
  ) {
    literal("{\"definition\":")
    raw(definitionJSON ?? definition.memberJSON)
    literal(",\"version\":", version)
    literal(",\"status\":", status.rawValue)
    if let until = decision.confirmation?.until { self.until(until) }
    reason(decision.cancelReason, texts: texts, locale: definition.locale)
    if host.isReopenedByHost { literal(",\"reopen\":\"host\"") }
    if host.isCancelledByHost { literal(",\"cancel\":\"host\"") }
    literal(",\"result\":")
    self.result(sight.seen(result, status: status), data: decision.data)
    self.inventory(inventory)
    literal(",")
    pickerState(
      picker, notes, sight: sight, texts: texts, windowRows: windowRows, definition: definition,
      respondent: respondent)
    literal("}")
  }
}
