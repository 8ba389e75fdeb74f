package import CivilTime
package import JSONText
package import PickerModel

/// What a session knows of the inventory of its shared definition.
///
/// The levels are for the eye and for the rules of the picker; what is granted is decided by the
/// log, from the inventory itself.
///
/// One pointer, because most sessions have none, and each tap asks.
package struct KnownInventory: Sendable {
  private var values: Values

  /// Changed only by its one owner.
  private final class Values: @unchecked Sendable {
    var settings: InventorySettings
    var units: Int
    var claim: NumberedClaim
    var levels: KeyLevels

    init(
      _ settings: InventorySettings, _ units: Int, _ claim: NumberedClaim, _ levels: KeyLevels
    ) {
      (self.settings, self.units, self.claim, self.levels) = (settings, units, claim, levels)
    }
  }

  package init(settings: InventorySettings, levels: KeyLevels) {
    self.init(
      settings: settings, units: settings.units.lowerBound, claim: NumberedClaim(nil, number: 0),
      levels: levels)
  }

  package init(
    settings: InventorySettings, units: Int, claim: NumberedClaim, levels: KeyLevels
  ) {
    values = Values(settings, units, claim, levels)
  }

  package var settings: InventorySettings {
    get { values.settings }
    set { change { $0.settings = newValue } }
  }

  /// How many units the session takes of each key of its value.
  package var units: Int {
    get { values.units }
    set { change { $0.units = newValue } }
  }

  package var claim: NumberedClaim {
    get { values.claim }
    set { change { $0.claim = newValue } }
  }

  /// Asked of thousands of sessions at once, without copying what they have.
  package var hasClaim: Bool { values.claim.claim != nil }

  /// As the last entry has them that the session could apply.
  package var levels: KeyLevels {
    get { values.levels }
    set { change { $0.levels = newValue } }
  }

  private mutating func change(_ body: (Values) -> Void) {
    if !isKnownUniquelyReferenced(&values) {
      values = Values(values.settings, values.units, values.claim, values.levels)
    }
    body(values)
  }

  /// The units in a result; `nil` if there is never more than one.
  var shownUnits: Int? { settings.units.upperBound > 1 ? units : nil }
}

extension KnownInventory: Hashable {
  package static func == (left: KnownInventory, right: KnownInventory) -> Bool {
    left.values === right.values
      || left.units == right.units && left.claim == right.claim
        && left.settings == right.settings && left.levels == right.levels
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(units)
    hasher.combine(claim)
  }
}

/// What an entry says about the inventory: of changes of other sessions, of the host or of time.
package struct InventoryNews: Hashable, Sendable {
  /// The levels of the keys that have others than before.
  package let levels: KeyLevels?
  /// Whether ``levels`` are all; otherwise they are added to those before.
  package let isWhole: Bool
  /// The session's claim, if it is another.
  package let claim: NumberedClaim?

  package init(levels: KeyLevels?, isWhole: Bool = false, claim: NumberedClaim?) {
    (self.levels, self.isWhole, self.claim) = (levels, isWhole, claim)
  }
}

/// A command about the inventory.
package enum InventoryCommand: Hashable, Sendable {
  /// How many units are taken of each key.
  case units(Int)
  /// Holds what is selected, or extends the hold.
  case hold
  /// Gives back the hold or the offer, or leaves the line.
  case release
  /// Joins the line for the value with these keys.
  case wait([String])

  package var type: String {
    switch self {
    case .units: "units"
    case .hold: "hold"
    case .release: "release"
    case .wait: "wait"
    }
  }

  package var byteCount: Int {
    if case .wait(let keys) = self { keys.reduce(0) { $0 + $1.utf8.count + 4 } } else { 0 }
  }

  /// Checks that there is such a command.
  ///
  /// - Throws: ``Refusal`` with `wrongKind`.
  func check(_ settings: InventorySettings?) throws(Refusal) {
    guard let settings else {
      throw Refusal(.wrongKind, "this session has no inventory, which \(type) needs")
    }
    switch self {
    case .hold where settings.holdSeconds == 0:
      throw Refusal(.wrongKind, "the inventory has holdSeconds 0: nothing can be held")
    case .wait where !settings.isWaiting:
      throw Refusal(.wrongKind, "the inventory has no waiting list")
    case .units, .hold, .release, .wait: return
    }
  }
}

/// What a delta changes of the inventory.
///
/// A class, so that a delta without it has one pointer more.
package final class InventoryEdit: Sendable {
  /// The settings, or `nil` that they are taken away.
  package let settings: InventorySettings??
  package let units: Int?
  package let hold: HoldChange?
  let hasHold: Bool

  package init(
    settings: InventorySettings?? = .none, units: Int? = nil, hold: HoldChange? = nil
  ) {
    (self.settings, self.units, self.hold) = (settings, units, hold)
    hasHold = hold != nil
  }

  /// Both, the other one after this.
  func followed(by other: InventoryEdit) -> InventoryEdit {
    InventoryEdit(
      settings: other.settings ?? settings, units: other.units ?? units, hold: other.hold ?? hold)
  }
}

extension InventoryEdit: Hashable {
  package static func == (left: InventoryEdit, right: InventoryEdit) -> Bool {
    left === right
      || left.settings == right.settings && left.units == right.units && left.hold == right.hold
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(units) }
}

/// A change of what a session holds, is offered or waits for.
package enum HoldChange: Hashable, Sendable {
  case has(Claim)
  case ended(HoldEnd)
}

/// Why a hold, an offer or a place in the line has ended.
package enum HoldEnd: String, Hashable, Sendable {
  case released, expired, moved, left, booked, lost
}
