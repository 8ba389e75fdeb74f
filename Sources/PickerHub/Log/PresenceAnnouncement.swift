package import PickerSession

/// Identifies a running process among the nodes that share a log.
package struct NodeIncarnation: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { text }
}

/// What a node announces to the nodes that serve the same session. Nothing of it is stored.
package enum PresenceAnnouncement: Hashable, Sendable {
  /// The node has loaded the session: the others answer with ``present(_:)``.
  case serving
  /// A member has connected to the node. Of a member's connections to several nodes, the one that
  /// was announced last stays.
  case connected(MemberID)
  /// A member has no connection to the node any more.
  case disconnected(MemberID)
  /// The members that are connected to the node.
  case present([MemberID])
  /// A member that is connected to the node has moved or lifted its finger.
  case touched(MemberID, Touch)
}
