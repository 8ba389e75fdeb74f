package import JSONText
package import PickerSession

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
