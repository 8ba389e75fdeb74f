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
  /// - Parameter body: With the lists `free`, `tentative` and `busy`.
  /// - Returns: The changes, once they are stored.
  package func importMarks(
    _ body: JSONTree, of member: MemberID, in id: SessionID, token: Credential?,
    at time: HubTime
  ) async throws(HubProblem) -> DocumentAnswer {
    let hosted = try await seam.find(id, token: token, needs: .owner, at: time)
    guard hosted.hostChanges.count(at: seam.now.machine) else { throw .tooMany }
    guard hosted.session.fold.knownMember(member) != nil else { throw .noSuchMember }
    let definition = hosted.session.fold.definition
    guard definition.kind.hasParts else {
      throw .wrongKind("\(definition.kind) pickers have no marks")
    }
    let marks: MarkImport
    do throws(DefinitionProblem) {
      marks = try MarkImport(body, of: member.text, for: definition)
    } catch {
      throw .badBody(error)
    }
    seam.bringUpToDate(hosted)
    let appended = try seam.append(.command(.host, ref: 0, .act(.importMarks(marks))), to: hosted)
    return try answer(of: try await appended.effects(), in: hosted)
  }

  private func answer(
    of effects: [Effect], in hosted: HostedSession
  ) throws(HubProblem) -> DocumentAnswer {
    for case .delta(let delta) in effects where delta.isHostCommand {
      let version = hosted.session.fold.version
      let body = HTTPDocument.changed(
        delta, version: version,
        texts: seam.texts(for: nil, fallback: hosted.session.fold.definition.locale),
        windowRows: seam.limits.session.windowRows)
      return DocumentAnswer(
        version: version, body: body,
        shortBody: HTTPDocument.changed(revision: delta.revision, version: version))
    }
    for case .answered(_, let answer) in effects {
      if case .refused(let refusal, _) = answer.body { throw .refused(refusal) }
      return unchanged(hosted)
    }
    // Without an answer the log was full.
    throw hosted.refusal
  }
}
