import PickerSession

/// The connections by their ids.
///
/// The lower 32 bits of an id are its slot in the event loop, a small number. Each delivery looks a
/// connection up, so the slot is an array index, which is faster than a hash.
struct ConnectionTable {
  /// By slot.
  private var slots: [HubConnection?] = []
  /// Connections whose slot is in use by another one, or is too large for the array.
  private var others: [ConnectionID: HubConnection] = [:]
  private(set) var count = 0

  private static let slotCountMax = 1 << 20

  subscript(id: ConnectionID) -> HubConnection? {
    let slot = Int(id.raw & 0xFFFF_FFFF)
    // By `raw`: `==` of a type in another module would be called without its specialization.
    if slot < slots.count, let connection = slots[slot], connection.id.raw == id.raw {
      return connection
    }
    return others.isEmpty ? nil : others[id]
  }

  /// Whether a message to a connection in the array can be posted at once. Asked without the
  /// connection, a fan-out needs not retain it.
  func isIdle(_ id: ConnectionID) -> Bool {
    let slot = Int(id.raw & 0xFFFF_FFFF)
    guard slot < slots.count, let connection = slots[slot], connection.id.raw == id.raw else {
      return false
    }
    return connection.sending.isIdle && !connection.isClosing
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

  /// - Returns: The removed connection; `nil` if there was none.
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
