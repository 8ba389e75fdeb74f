package import PickerHub
package import PickerSession
import PickerWire

/// The host decides on a confirmation.
///
/// - Source: web/guide/decide.md.
extension HostOperations {
  /// Decides on a confirmation, or repeats the answer to the same decision.
  ///
  /// - Parameter answer: Gets a JSON document when the log has the decision.
  package func settle(
    _ id: SessionID, _ settle: Settle, token: Credential?, at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    seam.find(id, token: token, needs: .owner, at: time, failure: { answer(.failure($0)) }) {
      hosted in
      guard hosted.hostChanges.countDecision(at: seam.now.machine) else {
        return answer(.failure(.tooMany))
      }
      let decision = hosted.session.fold.decision
      if decision.confirmation?.op != settle.op {
        let outcome = decision.outcome(of: settle)
        // Only a late grant is stored: the feed has to report it.
        if outcome != .late(reported: settle) {
          return answer(result(of: outcome, settle, hosted.session.fold))
        }
      }
      appendSettle(settle, to: hosted, answer: answer)
    }
  }

  private func appendSettle(
    _ settle: Settle, to hosted: HostedSession,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    let isStored = seam.append(.settle(settle), to: hosted) { effects in
      for case .settled(let outcome) in effects ?? [] {
        return answer(result(of: outcome, settle, hosted.session.fold))
      }
      answer(.failure(hosted.loss))
    }
    if !isStored { answer(.failure(hosted.refusal)) }
  }

  private func result(
    of outcome: SettleOutcome, _ settle: Settle, _ fold: SessionFold
  ) -> Result<[UInt8], HubProblem> {
    switch outcome {
    case .done(let settlement): .success(HTTPDocument.settled(settlement))
    case .unknown: .failure(.noSuchOp)
    case .late:
      .failure(
        .tooLate(
          CurrentDecision(
            status: fold.status, revision: fold.revision, confirmation: fold.decision.confirmation,
            settlement: fold.decision.settlements.first { $0.settle.op == settle.op })))
    }
  }

}
