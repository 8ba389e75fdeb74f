package import PickerModel
package import PickerSession

/// The reason for refusing an HTTP request about sessions. The request has changed nothing.
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
package enum HubProblem: Error, Hashable, Sendable {
  case badRequest(String)
  case badDefinition(DefinitionProblem)
  /// A body is invalid at a place of it.
  case badBody(DefinitionProblem)
  /// The session refuses a change, which has changed nothing.
  case refused(Refusal)
  case noToken
  case badToken
  case notAllowed(String)
  case noSuchSession
  /// There is no shared definition of the name.
  case noSuchDefinition
  /// Sessions use the shared definition.
  case inUse
  /// The member of a posted command is unknown, or left before the command was applied.
  case noSuchMember
  case wrongSecret
  /// Only a calendar has months.
  case wrongKind(String)
  case outsideMonths(String)
  /// The picker has no complete result now.
  case notComplete
  case tooLarge(String)
  /// More changes of the host in a second than allowed.
  case tooMany
  /// `If-Match` does not contain the current version, which is this one.
  case versionMismatch(Int)
  /// A JSON Patch does not fit the document.
  case patchFailed(String)
  /// Something else was first to decide on a confirmation.
  case tooLate(CurrentDecision)
  /// The session never had this confirmation.
  case noSuchOp
  /// A living session has the external id.
  case externalTaken(SessionID)
  /// The idempotency key was used with another body.
  case keyReused
  /// The server has reached a limit of new sessions.
  case full(CreationLimit)
  /// The session is not in memory, and there is no room for it.
  case noMemory
  /// The session has reached its maximum of members or event streams.
  case sessionFull
  /// The session has the maximum number of roles that the host has given.
  case rolesFull
  /// The session's log has reached its maximum size.
  case logFull
  /// The store of all sessions has reached its maximum size.
  case storeFull
  case unavailable
}

extension HubProblem {
  /// The detail of ``noMemory``.
  package static let noMemoryDetail =
    "the session cannot be loaded, because the sessions in memory have reached sessionsBytes; "
    + "retry later, or let the operator raise that limit"
}
