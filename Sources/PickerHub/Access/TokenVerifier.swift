/// Verifies member tokens with the host's keys; shared by all loops.
package protocol TokenVerifier: Sendable {
  func verify(_ token: String) throws(TokenProblem) -> MemberToken
}
