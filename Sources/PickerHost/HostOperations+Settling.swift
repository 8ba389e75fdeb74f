package import PickerHub
package import PickerSession
import PickerWire

/// The host decides on a confirmation.
///
/// - Source: web/guide/decide.md.
extension HostOperations {
  /// Decides on a confirmation, or repeats the answer to the same decision.
  ///
  /// - Returns: A JSON document, when the log has the decision.
  package func settle(
    _ id: SessionID, _ settle: Settle, token: Credential?, at time: HubTime
  ) async throws(HubProblem) -> [UInt8] {
    let hosted = try await findForDecision(id, token: token, at: time)
    let decision = hosted.session.fold.decision
    if decision.confirmation?.op != settle.op {
      let outcome = decision.outcome(of: settle)
      // Only a late grant is stored: the feed has to report it.
      if outcome != .late(reported: settle) {
        return try document(of: outcome, settle, hosted.session.fold)
      }
    }
    for case .settled(let outcome) in try await seam.append(.settle(settle), to: hosted).effects() {
      return try document(of: outcome, settle, hosted.session.fold)
    }
    throw hosted.loss
  }

  private func document(
    of outcome: SettleOutcome, _ settle: Settle, _ fold: SessionFold
  ) throws(HubProblem) -> [UInt8] {
    switch outcome {
    case .done(let settlement): return HTTPDocument.settled(settlement)
    case .unknown: throw .noSuchOp
    case .late:
      throw .tooLate(
        CurrentDecision(
          status: fold.status, revision: fold.revision, confirmation: fold.decision.confirmation,
          settlement: fold.decision.settlements.first { $0.settle.op == settle.op }))
    }
  }
}
