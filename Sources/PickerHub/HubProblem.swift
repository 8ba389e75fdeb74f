package import JSONText
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
  /// The server has reached its maximum of sessions, or of their memory.
  case full
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

/// The decision in effect when another one arrives too late.
package struct CurrentDecision: Hashable, Sendable {
  package let status: SessionStatus
  package let revision: Int
  /// The pending confirmation, if any.
  package let confirmation: Confirmation?
  /// The decision that counted for the same confirmation, if it is still known.
  package let settlement: Settlement?

  package init(
    status: SessionStatus, revision: Int, confirmation: Confirmation?, settlement: Settlement?
  ) {
    self.status = status
    self.revision = revision
    self.confirmation = confirmation
    self.settlement = settlement
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
