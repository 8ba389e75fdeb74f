package import PickerHub
package import PickerSession

/// Revocations and roles by the host.
extension HostOperations {
  /// Gives a user another role; later tokens of the user give at most this one. Returns when the
  /// log has stored it.
  package func set(
    _ role: HostRole, in id: SessionID, token: Credential?, at time: HubTime
  ) async throws(HubProblem) {
    let hosted = try await findForDecision(id, token: token, at: time)
    let fold = hosted.session.fold
    if case .member(let member) = role.target, fold.knownMember(member) == nil {
      throw .noSuchMember
    }
    guard fold.hostRoles.hasRoom(for: HostRole(fold.roleTarget(of: role.target), role.role))
    else { throw .rolesFull }
    _ = try await seam.append(.roleSet(role), to: hosted).effects()
  }

  /// Revokes tokens of a session. Returns when the log has stored it, and the members concerned
  /// have been closed.
  package func revoke(
    _ revocation: Revocation, in id: SessionID, token: Credential?, at time: HubTime
  ) async throws(HubProblem) -> Revocation {
    let hosted = try await findForDecision(id, token: token, at: time)
    if case .member(let member) = revocation.target,
      hosted.session.fold.knownMember(member) == nil
    {
      throw .noSuchMember
    }
    _ = try await seam.append(.revoked(revocation), to: hosted).effects()
    return revocation
  }

  /// Finds a session whose host decides something, if it does not so too often.
  func findForDecision(
    _ id: SessionID, token: Credential?, at time: HubTime
  ) async throws(HubProblem) -> HostedSession {
    let hosted = try await seam.find(id, token: token, needs: .owner, at: time)
    guard hosted.hostChanges.countDecision(at: seam.now.machine) else { throw .tooMany }
    return hosted
  }
}
