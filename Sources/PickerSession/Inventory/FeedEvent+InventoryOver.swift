package import CivilTime
import JSONText

extension FeedEvent {
  /// More is taken of some keys than there is, after the host has changed the settings or booked
  /// over the capacity.
  ///
  /// - Parameters:
  ///   - name: Of the shared definition, with its namespace.
  ///   - epoch: That of the feed.
  ///   - number: That of the inventory's change.
  package init(
    inventoryOver name: String, keys: [String], epoch: String, number: Int, at now: Instant
  ) {
    let members: [JSONTree.Member] = [
      .init("name", .string(SharedDefinition.givenName(name))),
      .init("keys", .array(keys.map(JSONTree.string))),
    ]
    var data = JSONTree.object(members).serialized()
    if data.count > FeedEvent.dataByteCountMax {
      data = JSONTree.object(Array(members.prefix(1))).serialized()
    }
    type = .inventoryOver
    session = nil
    namespace = SharedDefinition.namespace(of: name)
    identity = "\(name) \(epoch) \(number) \(type.rawValue)"
    timestamp = now
    self.data = data
  }
}
