import PickerSession

/// The connections by their ids.
///
/// An id's lower half is a slot of the loop, a small number, so that looking one up is an index and
/// not a hash: that is done for each delivery.
struct ConnectionTable {
  /// By slot.
  private var slots: [HubConnection?] = []
  /// Those whose slot is taken by another one, or too great for a table.
  private var others: [ConnectionID: HubConnection] = [:]
  private(set) var count = 0

  private static let slotCountMax = 1 << 20

  subscript(id: ConnectionID) -> HubConnection? {
    let slot = Int(id.raw & 0xFFFF_FFFF)
    if slot < slots.count, let connection = slots[slot], connection.id == id { return connection }
    return others.isEmpty ? nil : others[id]
  }

  /// - Precondition: Its id is not in the table.
  mutating func insert(_ connection: HubConnection) {
    precondition(self[connection.id] == nil, "an id is never used again")
    count += 1
    let slot = Int(connection.id.raw & 0xFFFF_FFFF)
    guard slot < ConnectionTable.slotCountMax else { return others[connection.id] = connection }
    while slots.count <= slot { slots.append(nil) }
    if slots[slot] == nil {
      slots[slot] = connection
    } else {
      others[connection.id] = connection
    }
  }

  /// - Returns: What was there.
  mutating func remove(_ id: ConnectionID) -> HubConnection? {
    guard let connection = self[id] else { return nil }
    count -= 1
    if others.removeValue(forKey: id) == nil { slots[Int(id.raw & 0xFFFF_FFFF)] = nil }
    return connection
  }

  /// In the order of their ids.
  var inOrder: [HubConnection] {
    (slots.compactMap { $0 } + others.values).sorted { $0.id.raw < $1.id.raw }
  }
}
