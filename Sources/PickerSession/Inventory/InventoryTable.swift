package import CivilTime

/// Whose units are taken: ids of sessions and those of a host's bookings are apart.
package enum ClaimID: Hashable, Sendable {
  case session(SessionID)
  case booking(String)

  package var session: SessionID? { if case .session(let id) = self { id } else { nil } }

  package static func == (left: ClaimID, right: ClaimID) -> Bool {
    switch (left, right) {
    case (.session(let left), .session(let right)): left == right
    case (.booking(let left), .booking(let right)): left.isExactly(right)
    case (.session, .booking), (.booking, .session): false
    }
  }
}

/// A row of an inventory's table.
package struct InventoryClaim: Hashable, Sendable {
  package var state: Claim.State
  package var keys: [String]
  /// The units of each key.
  package var units: Int
  /// See ``InventoryDemand/holder``; `nil` of a host's booking.
  package var holder: String?
  /// When a hold began.
  package var begun: Instant?
  /// When a hold or an offer ends.
  package var until: Instant?
  /// Of a place in the line.
  package var order: Int?
  /// See ``HostBooking/isOver``.
  package var isOver = false

  package init(
    _ state: Claim.State, _ keys: [String], units: Int, holder: String?, begun: Instant? = nil,
    until: Instant? = nil, order: Int? = nil, isOver: Bool = false
  ) {
    (self.state, self.keys, self.units, self.holder) = (state, keys, units, holder)
    (self.begun, self.until, self.order, self.isOver) = (begun, until, order, isOver)
  }

  /// - Parameter place: Of a place in the line.
  package func claim(place: Int? = nil) -> Claim {
    Claim(state: state, keys: keys, units: units, until: until, order: order, place: place)
  }

  /// Its units times its keys.
  package var weight: Int { units * keys.count }
}

/// What an inventory has besides claims and counts.
package struct InventoryTotals: Hashable, Sendable {
  /// That of the last change.
  package var number = 0
  /// The time of the last transaction.
  package var now = Instant.first
  /// How many have joined the line so far.
  package var order = 0
  /// The last change after which some have another place in the line.
  package var lineNumber = 0
  /// Changes up to this one are not known one by one.
  package var wholeNumber = 0
  /// Claims that are not booked.
  package var openCount = 0
  package var bookedCount = 0

  package init() {}
}

/// What is taken of a shared definition's inventory. Only ``InventoryDecision`` changes it.
///
/// The functions that look for something use an index: what a decision costs depends on what it
/// touches, not on how much is taken.
package protocol InventoryTable: AnyObject {
  associatedtype Problem: Error

  var settings: InventorySettings { get }
  var state: InventoryTotals { get set }

  func claim(_ id: ClaimID) throws(Problem) -> InventoryClaim?
  /// Stores a claim, or removes it.
  ///
  /// - Parameter old: The claim before.
  func store(
    _ claim: InventoryClaim?, of id: ClaimID, replacing old: InventoryClaim?) throws(Problem)
  /// The counts of a key; all 0 for a key that nothing is known of.
  func count(_ key: String) throws(Problem) -> KeyCount
  /// Stores the counts of a key. Its capacity is that of the settings.
  func store(_ count: KeyCount, of key: String) throws(Problem)
  /// Takes new settings, from which ``count(_:)`` has the capacity from now on.
  func change(_ settings: InventorySettings) throws(Problem)

  /// Of those in the line who name a key and have asked after `order`: the first of each group
  /// that waits for the same units of the same keys.
  func waiters(of key: String, after order: Int) throws(Problem) -> [(order: Int, id: ClaimID)]
  /// The order of the first in the line who wants more than `units` of a key.
  func firstOrder(of key: String, wantingMoreThan units: Int) throws(Problem) -> Int?
  /// How many in the line name one of the keys and have asked before `order`.
  func waiterCount(of keys: [String], before order: Int) throws(Problem) -> Int
  /// The keys that somebody waits for.
  func awaitedKeys() throws(Problem) -> [String]
  /// The claims that end at `end` or before.
  func due(by end: Instant) throws(Problem) -> [ClaimID]
  /// The earliest end of a hold or offer of one of the keys, other than that of `id`.
  func earliestEnd(of keys: [String], but id: ClaimID) throws(Problem) -> Instant?
  /// The units times keys of all claims of a holder that are not booked.
  func weight(of holder: String) throws(Problem) -> Int
  /// The keys of which more is taken than there is, in the order of their bytes.
  func keysOver(countMax: Int) throws(Problem) -> [String]
}
