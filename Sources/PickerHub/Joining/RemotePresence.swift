import PickerSession

/// Which members of a session are connected to other nodes, as far as announced, and which of this
/// node's announcements have not come back.
///
/// The announcements of a session reach all nodes in one order, this node's own included. So a
/// connection whose announcement has not come back is newer than every one announced before.
struct RemotePresence {
  private var membersOfNode: [NodeIncarnation: Set<MemberID>] = [:]
  /// Nodes whose announcements may have been lost, and that have not announced anything since.
  private var doubted: Set<NodeIncarnation> = []
  /// The number of announced connections of a member that have not come back.
  private var unconfirmed: [MemberID: Int] = [:]

  func isConnected(_ member: MemberID) -> Bool {
    membersOfNode.values.contains { $0.contains(member) }
  }

  /// The members that are connected to a node.
  func members(of node: NodeIncarnation) -> Set<MemberID> { membersOfNode[node] ?? [] }

  mutating func connect(_ member: MemberID, to node: NodeIncarnation) {
    doubted.remove(node)
    membersOfNode[node, default: []].insert(member)
  }

  mutating func disconnect(_ member: MemberID, from node: NodeIncarnation) {
    membersOfNode[node]?.remove(member)
    if membersOfNode[node]?.isEmpty == true { membersOfNode[node] = nil }
  }

  /// Replaces the members that are connected to a node.
  ///
  /// - Returns: Those that were connected to it before and are not now, in the order of their ids.
  mutating func set(_ members: [MemberID], of node: NodeIncarnation) -> [MemberID] {
    let before = membersOfNode[node] ?? []
    doubted.remove(node)
    membersOfNode[node] = members.isEmpty ? nil : Set(members)
    return before.subtracting(members).sorted { $0.text < $1.text }
  }

  /// This node has announced a connection of a member.
  mutating func announced(_ member: MemberID) { unconfirmed[member, default: 0] += 1 }

  /// An announcement of this node has come back.
  mutating func confirmed(_ member: MemberID) {
    guard let count = unconfirmed[member] else { return }
    unconfirmed[member] = count > 1 ? count - 1 : nil
  }

  /// Announcements of this node, and of the others, may have been lost.
  mutating func beginDoubt() {
    unconfirmed = [:]
    doubted = Set(membersOfNode.keys)
  }

  /// The nodes that have not announced their members since ``beginDoubt()``, in order: they do not
  /// have the session in memory any more.
  mutating func endDoubt() -> [NodeIncarnation] {
    defer { doubted = [] }
    return doubted.sorted { $0.text < $1.text }
  }

  /// Whether the last announced connection of a member to this node has come back.
  func isConfirmed(_ member: MemberID) -> Bool { unconfirmed[member] == nil }
}
