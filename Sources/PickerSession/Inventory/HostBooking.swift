import JSONText

/// Units that are booked: by the host for somebody elsewhere, or by a session.
///
/// - Source: web/guide/holds.md, "Bookings from elsewhere".
package struct HostBooking: Hashable, Sendable {
  /// The host's id of it, or the session's.
  package let id: String
  package let keys: [String]
  /// The units of each key.
  package let units: Int
  /// Whether it was booked whether or not there were units.
  package var isOver = false
  /// The session that has it; `nil` for one from elsewhere.
  package var session: SessionID?

  package init(
    id: String, keys: [String], units: Int, isOver: Bool = false, session: SessionID? = nil
  ) {
    (self.id, self.keys, self.units) = (id, keys, units)
    (self.isOver, self.session) = (isOver, session)
  }
}

/// Which keys of an inventory are read.
package enum InventoryQuery: Hashable, Sendable {
  case keys([String])
  /// Those that have something of their own, in the order of their bytes.
  case range(from: String?, through: String?, after: String?, limit: Int)
}

/// Counts of an inventory for the host, in the order of their keys.
package struct InventoryPage: Sendable {
  package let keys: [(key: String, count: KeyCount)]
  /// After which key the next page begins; `nil`: there is none.
  package let next: String?

  package init(keys: [(key: String, count: KeyCount)], next: String?) {
    (self.keys, self.next) = (keys, next)
  }
}

/// Bookings of an inventory in the order of their ids.
package struct BookingPage: Sendable {
  package let bookings: [HostBooking]
  /// After which id the next page begins; `nil`: there is none.
  package let next: String?

  package init(bookings: [HostBooking], next: String?) {
    (self.bookings, self.next) = (bookings, next)
  }
}

/// What became of a host's booking.
package enum BookingOutcome: Hashable, Sendable {
  /// - Parameter isNew: Whether it was not there before.
  case booked(HostBooking, isNew: Bool)
  case refused(InventoryRefusal)
  /// Another booking has its id.
  case keyReused
  /// The definition has no inventory, or does not exist.
  case noInventory
  case unavailable
}

/// What became of deleting a booking.
package enum BookingRemoval: Hashable, Sendable {
  /// Also if there was none.
  case done
  /// It is that of a living session.
  case inUse
  case noInventory
  case unavailable
}
