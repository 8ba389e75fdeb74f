package import CivilTime

/// What a session has of an inventory, or a booking that the host has made elsewhere. A session has
/// at most one.
///
/// - Source: web/guide/holds.md.
package struct Claim: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    case held, offered, waiting, booked

    /// Whether units are taken for it. A place in the line takes nothing.
    package var takes: Bool { self != .waiting }
  }

  package let state: State
  /// The keys in the order of the value.
  package let keys: [String]
  /// The units of each key.
  package let units: Int
  /// When a hold or an offer ends.
  package let until: Instant?
  /// Where a session waits: less than those that have asked later.
  package let order: Int?
  /// 1 for the first in the line.
  package let place: Int?

  package init(
    state: State, keys: [String], units: Int, until: Instant? = nil, order: Int? = nil,
    place: Int? = nil
  ) {
    (self.state, self.keys, self.units) = (state, keys, units)
    (self.until, self.order, self.place) = (until, order, place)
  }
}

/// A session's claim as its inventory has it, with the number of the change that made it so.
package struct NumberedClaim: Hashable, Sendable {
  /// `nil` if the session has none.
  package let claim: Claim?
  /// Ascends with every change of the inventory. What has a smaller number is older.
  package let number: Int

  package init(_ claim: Claim?, number: Int) { (self.claim, self.number) = (claim, number) }
}

/// What an entry of a session's log asks of the inventory. The log decides it in the transaction
/// that stores the entry.
package struct InventoryDemand: Hashable, Sendable {
  package enum Ask: Hashable, Sendable {
    /// Holds the keys, or extends the hold of them.
    case hold
    /// Joins the line for the keys.
    case wait
    /// Books the keys.
    case book
    /// Makes the booking a hold again.
    case reopen
    /// Gives back what the session has.
    case free
  }

  /// In this order; each counts after the one before it. The last one's refusal is the outcome's.
  package let asks: [Ask]
  package let keys: [String]
  package let units: Int
  /// Whose units count together, see ``InventorySettings/perHolder``.
  package let holder: String

  package init(_ asks: [Ask], keys: [String], units: Int, holder: String) {
    (self.asks, self.keys, self.units, self.holder) = (asks, keys, units, holder)
  }
}

/// Why the inventory does not give what was asked.
package struct InventoryRefusal: Hashable, Sendable {
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case full, waiting, soldOut, held, tooManyHolds, holdLimit, free
    /// The definition has no inventory any more.
    case wrongKind
  }

  package let code: Code
  /// The keys that are not open, at most 10.
  package let keys: [String]
  /// The earliest end of a hold or offer in the way; only of ``Code/held``.
  package let until: Instant?

  package init(_ code: Code, keys: [String] = [], until: Instant? = nil) {
    (self.code, self.keys, self.until) = (code, keys, until)
  }
}

/// How an ``InventoryDemand`` was decided. It is stored with the entry, so that a replay needs no
/// inventory.
package struct InventoryOutcome: Hashable, Sendable {
  /// `nil`: all was granted.
  package let refusal: InventoryRefusal?
  /// What the session has afterwards.
  package let claim: NumberedClaim

  package init(_ refusal: InventoryRefusal?, claim: NumberedClaim) {
    (self.refusal, self.claim) = (refusal, claim)
  }
}

/// How many units of a key are taken, and what is waited for.
package struct KeyCount: Hashable, Sendable {
  package var capacity: Int
  package var booked = 0
  package var held = 0
  package var offered = 0
  /// The number of claims in the line that name it.
  package var waiting = 0
  /// The order of the first in the line that wants more units than are free; `nil`: nobody does.
  package var keptSince: Int?

  package init(capacity: Int) { self.capacity = capacity }

  /// May be negative, if the host has booked over the capacity or lowered it.
  package var free: Int { capacity - booked - held - offered }

  /// Whether nothing is taken or waited for.
  package var isEmpty: Bool { booked == 0 && held == 0 && offered == 0 && waiting == 0 }
}

/// What has changed of an inventory.
package struct InventoryChange: Sendable {
  /// Of the shared definition.
  package let name: String
  package let number: Int
  /// The last change after which some have another place in the line.
  package let lineNumber: Int
  /// Whether ``keys`` are all keys of which something is taken or waited for; otherwise those that
  /// have changed since the number that was asked for.
  package let isWhole: Bool
  package let keys: [String: KeyCount]
  /// The claims of sessions that have changed; of a whole inventory those of the asked session.
  package let claims: [SessionID: NumberedClaim]

  package init(
    name: String, number: Int, lineNumber: Int, isWhole: Bool, keys: [String: KeyCount],
    claims: [SessionID: NumberedClaim]
  ) {
    (self.name, self.number, self.lineNumber) = (name, number, lineNumber)
    self.isWhole = isWhole
    (self.keys, self.claims) = (keys, claims)
  }
}
