package import JSONText
import PickerModel
package import PickerSession
import PickerWire

/// The decision in effect when another one arrives too late.
package struct CurrentDecision: Hashable, Sendable {
  package let status: SessionStatus
  package let revision: Int
  /// The pending confirmation, if any.
  package let confirmation: Confirmation?
  /// The decision that counted for the same confirmation, if it is still known.
  package let settlement: Settlement?
}

/// The host decides on a confirmation.
///
/// - Source: web/guide/decide.md.
extension Hub {
  /// Decides on a confirmation, or repeats the answer to the same decision.
  ///
  /// - Parameter answer: Gets a JSON document when the log has the decision.
  package func settle(
    _ id: SessionID, _ settle: Settle, token: Credential?, at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .owner, at: time, failure: { answer(.failure($0)) }) {
      [unowned self] hosted in
      guard hosted.hostChanges.countOrder(at: now.machine) else {
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
    let isStored = append(.settle(settle), to: hosted, at: now) { [unowned self] effects in
      for case .settled(let outcome) in effects ?? [] {
        return answer(result(of: outcome, settle, hosted.session.fold))
      }
      answer(.failure(hosted.isEnding ? .noSuchSession : .unavailable))
    }
    if !isStored { answer(.failure(hosted.log.refusal ?? .unavailable)) }
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

  /// Denies a confirmation that waits, because its session is about to end.
  func denyConfirmation(of hosted: HostedSession) {
    guard let op = hosted.session.fold.decision.confirmation?.op else { return }
    append(.settle(Settle(op: op, isGranted: false)), to: hosted, at: now)
  }
}

extension CurrentDecision {
  /// The field `stands` of a problem.
  package var tree: JSONTree {
    var members: [JSONTree.Member] = [
      .init("status", .string(status.rawValue)), .init("revision", .integer(revision)),
    ]
    if let confirmation {
      members += [
        .init("op", .string(confirmation.op)), .init("until", .string(confirmation.until.rfc3339)),
      ]
    }
    if let settlement {
      members.append(.init("granted", .bool(settlement.settle.isGranted)))
    }
    return .object(members)
  }
}
