import PickerModel

/// What an entry asks of the inventory while it is applied, and how the log has decided.
///
/// Without outcome the fold is a copy that is asked what the entry would ask.
final class Ruling: @unchecked Sendable {
  // Used by the thread that applies the entry, while it does.
  private(set) var asks: [InventoryDemand.Ask] = []
  private var keys: [String] = []
  private var units = 1
  private var holder: String?
  let outcome: InventoryOutcome?

  init(_ outcome: InventoryOutcome?) { self.outcome = outcome }

  func add(
    _ ask: InventoryDemand.Ask, keys: [String] = [], units: Int = 1, holder: String? = nil
  ) {
    asks.append(ask)
    guard ask != .free else { return }
    (self.keys, self.units) = (keys, units)
    if let holder { self.holder = holder }
  }

  /// `nil` if nothing was asked.
  func demand(of session: SessionID) -> InventoryDemand? {
    asks.isEmpty
      ? nil : InventoryDemand(asks, keys: keys, units: units, holder: holder ?? session.text)
  }
}
