import JSONText
import PickerClient
import PickerModel
import PickerSession

/// Compares what a client shows of an inventory with the session's.
extension ClientState {
  func checkInventory(_ truth: KnownInventory?) throws(ProtocolBreach) {
    guard let inventory, let truth else {
      if inventory == nil, truth == nil, hold == nil { return }
      throw ProtocolBreach("a client knows whether there is an inventory at revision \(revision)")
    }
    let settings = truth.settings
    guard inventory.units == settings.units, inventory.few == settings.few,
      inventory.holdSeconds == settings.holdSeconds, inventory.hasWaiting == settings.isWaiting,
      inventory.offerSeconds == settings.offerSeconds
    else {
      throw ProtocolBreach("the settings at revision \(revision) are \(settings), not \(inventory)")
    }
    guard units == truth.units else {
      throw ProtocolBreach("the units at revision \(revision) are \(truth.units), not \(units)")
    }
    let claim = truth.claim.claim.flatMap { $0.state == .booked ? nil : $0 }
    guard hold?.state.rawValue == claim?.state.rawValue, hold?.keys == claim?.keys,
      hold?.units == claim?.units, hold?.until == claim?.until?.rfc3339,
      hold?.place == claim?.place
    else {
      throw ProtocolBreach(
        "the hold at revision \(revision) is \(claim as Any), not \(hold as Any)")
    }
  }
}

extension PickerLevel {
  /// The level that a client shows for a session's.
  init?(_ level: KeyLevel?) {
    switch level {
    case nil: return nil
    case .few(let left): self = .few(left: left)
    case .held: self = .held
    case .gone: self = .gone
    }
  }
}
