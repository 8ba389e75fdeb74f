package import PickerHub
package import PickerSession

/// Revocations and roles by the host.
extension HostOperations {
  /// Gives a user another role; later tokens of the user give at most this one.
  ///
  /// - Parameter answer: Called when the log has stored it.
  package func set(
    _ role: HostRole, in id: SessionID, token: Credential?, at time: HubTime,
    answer: @escaping (Result<Void, HubProblem>) -> Void
  ) {
    seam.find(id, token: token, needs: .owner, at: time, failure: { answer(.failure($0)) }) {
      hosted in
      guard hosted.hostChanges.countDecision(at: seam.now.machine) else {
        return answer(.failure(.tooMany))
      }
      let fold = hosted.session.fold
      if case .member(let member) = role.target, fold.knownMember(member) == nil {
        return answer(.failure(.noSuchMember))
      }
      guard fold.hostRoles.hasRoom(for: HostRole(fold.roleTarget(of: role.target), role.role))
      else { return answer(.failure(.rolesFull)) }
      let isStored = seam.append(.roleSet(role), to: hosted) { effects in
        if effects == nil {
          return answer(.failure(hosted.loss))
        }
        seam.grant(role, in: hosted)
        answer(.success(()))
      }
      if !isStored { answer(.failure(hosted.refusal)) }
    }
  }

  /// Revokes tokens of a session.
  ///
  /// - Parameter answer: Gets the revocation when the log has stored it, and the members concerned
  ///   have been closed.
  package func revoke(
    _ revocation: Revocation, in id: SessionID, token: Credential?, at time: HubTime,
    answer: @escaping (Result<Revocation, HubProblem>) -> Void
  ) {
    seam.find(id, token: token, needs: .owner, at: time, failure: { answer(.failure($0)) }) {
      hosted in
      guard hosted.hostChanges.countDecision(at: seam.now.machine) else {
        return answer(.failure(.tooMany))
      }
      if case .member(let member) = revocation.target,
        hosted.session.fold.knownMember(member) == nil
      {
        return answer(.failure(.noSuchMember))
      }
      let isStored = seam.append(.revoked(revocation), to: hosted) { effects in
        answer(effects == nil ? .failure(hosted.loss) : .success(revocation))
      }
      if !isStored { answer(.failure(hosted.refusal)) }
    }
  }
}
