package import PickerModel

extension KeyCount {
  /// Why a session cannot have units of a key; `nil` if it can.
  ///
  /// - Parameters:
  ///   - key: The key with these counts.
  ///   - units: How many units the session wants.
  ///   - claim: What the session has, of this key or of others.
  /// - Source: web/guide/holds.md, "Open keys".
  package func closure(
    of key: String, units: Int, claim: Claim?
  ) -> InventoryRefusal.Code? {
    let own = own(of: key, claim)
    if own >= units { return nil }
    if let keptSince, keptSince < claim?.order ?? .max { return .waiting }
    if free + own >= units { return nil }
    let ownBooked = claim?.state == .booked ? own : 0
    return capacity - booked + ownBooked < units ? .soldOut : .held
  }

  /// What a session sees of a key; `nil` if there is nothing to say.
  ///
  /// - Parameters: As of ``closure(of:units:claim:)``.
  ///   - few: Up to this many free units the members see how many.
  package func level(of key: String, units: Int, claim: Claim?, few: Int) -> KeyLevel? {
    switch closure(of: key, units: units, claim: claim) {
    case .held: return .held
    case .some: return .gone
    case nil:
      let left = max(0, free + own(of: key, claim))
      return left <= few ? .few(left: left) : nil
    }
  }

  /// The units of the key that a session has already.
  private func own(of key: String, _ claim: Claim?) -> Int {
    guard let claim, claim.state.takes, claim.keys.contains(where: { $0.isExactly(key) }) else {
      return 0
    }
    return claim.units
  }
}
