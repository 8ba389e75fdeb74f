package import JSONText
package import PickerHub
package import PickerModel
package import PickerSession
import PickerWire

/// Marks from calendars that a host knows.
/// - Source: web/guide/availability.md, "From a calendar that you know".
extension HostOperations {
  /// Marks cells for a member, except those that it has marked by hand.
  ///
  /// - Parameters:
  ///   - body: With the lists `free`, `tentative` and `busy`.
  ///   - answer: Receives the changes once they are stored.
  package func importMarks(
    _ body: JSONTree, of member: MemberID, in id: SessionID, token: Credential?,
    at time: HubTime, answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) {
    seam.find(id, token: token, needs: .owner, at: time, failure: { answer(.failure($0)) }) {
      hosted in
      guard hosted.hostChanges.count(at: seam.now.machine) else {
        return answer(.failure(.tooMany))
      }
      guard hosted.session.fold.knownMember(member) != nil else {
        return answer(.failure(.noSuchMember))
      }
      let definition = hosted.session.fold.definition
      guard definition.kind.hasParts else {
        return answer(.failure(.wrongKind("\(definition.kind) pickers have no marks")))
      }
      do throws(DefinitionProblem) {
        let marks = try MarkImport(body, of: member.text, for: definition)
        append(marks, to: hosted, answer)
      } catch {
        answer(.failure(.badBody(error)))
      }
    }
  }

  private func append(
    _ marks: MarkImport, to hosted: HostedSession,
    _ answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) {
    seam.bringUpToDate(hosted)
    let isStored = seam.append(
      .command(.host, ref: 0, .act(.importMarks(marks))), to: hosted
    ) { effects in
      guard let effects else {
        return answer(.failure(hosted.loss))
      }
      answer(outcome(of: effects, in: hosted))
    }
    if !isStored { answer(.failure(hosted.refusal)) }
  }

  private func outcome(
    of effects: [Effect], in hosted: HostedSession
  ) -> Result<DefinitionAnswer, HubProblem> {
    for case .delta(let delta) in effects where delta.isHostCommand {
      let version = hosted.session.fold.version
      let body = HTTPDocument.changed(
        delta, version: version,
        texts: seam.texts(for: nil, fallback: hosted.session.fold.definition.locale),
        windowRows: seam.limits.session.windowRows)
      return .success(
        DefinitionAnswer(
          version: version, body: body,
          shortBody: HTTPDocument.changed(revision: delta.revision, version: version)))
    }
    for case .answered(_, let answer) in effects {
      if case .refused(let refusal, _) = answer.body { return .failure(.refused(refusal)) }
      return .success(unchanged(hosted))
    }
    // Without an answer the log was full.
    return .failure(hosted.refusal)
  }
}
