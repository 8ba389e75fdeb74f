import JSONText

/// The wire protocol's rules for an inventory.
/// - Source: web/guide/holds.md.
extension MessageRules {
  /// The fields of a snapshot.
  static let inventory = ["inventory", "units", "hold"]
  /// The fields of cells and rows.
  static let level = ["level", "left"]

  static func check(levelOf part: JSONTree) throws(ProtocolBreach) {
    let isFew = part["level"] == .string("few")
    guard isFew == (part["left"] != nil),
      [nil, "few", "held", "gone"].contains(part["level"]?.string)
    else { throw ProtocolBreach("a level is few with left, held or gone: \(part.shown)") }
  }

  static func check(inventoryOf snapshot: JSONTree) throws(ProtocolBreach) {
    guard snapshot["inventory"] != nil else {
      if snapshot["units"] == nil, snapshot["hold"] == nil { return }
      throw ProtocolBreach("only a session with an inventory has units: \(snapshot.shown)")
    }
    try check(settings: try snapshot.part("inventory"))
    _ = try snapshot.number("units")
    if snapshot["hold"] != nil { try check(hold: try snapshot.part("hold")) }
  }

  private static func check(settings: JSONTree) throws(ProtocolBreach) {
    try settings.has(["units", "few", "holdSeconds", "waiting", "offerSeconds"])
  }

  private static func check(
    hold: JSONTree, besides: [String] = []
  ) throws(ProtocolBreach) {
    let state = try hold.text("state")
    switch state {
    case "none":
      try hold.has(["state", "reason"] + besides)
      let reasons = ["released", "expired", "moved", "left", "booked", "lost"]
      guard reasons.contains(try hold.text("reason")) else {
        throw ProtocolBreach("a hold ends for a reason: \(hold.shown)")
      }
    case "held", "offered": try hold.has(["state", "keys", "units", "until"] + besides)
    case "waiting": try hold.has(["state", "keys", "units", "place"] + besides)
    default: throw ProtocolBreach("\(state) is the state of a hold")
    }
  }

  /// - Returns: Whether the change is one of an inventory.
  static func checksInventory(_ change: JSONTree) throws(ProtocolBreach) -> Bool {
    switch try change.text("change") {
    case "inventory":
      try change.has(["change", "inventory"])
      if change["inventory"] != .null { try check(settings: try change.part("inventory")) }
    case "units":
      try change.has(["change", "units"])
      _ = try change.number("units")
    case "hold": try check(hold: change, besides: ["change"])
    default: return false
    }
    return true
  }

  /// Checks that the changes of an inventory come after all others and before the result.
  static func checkOrder(of changes: [JSONTree], _ delta: JSONTree) throws(ProtocolBreach) {
    let order = ["inventory", "units", "hold", "result"]
    let places = changes.map { change in
      change["change"]?.string.flatMap(order.firstIndex) ?? -1
    }
    guard zip(places, places.dropFirst()).allSatisfy({ $0 < $1 || $1 == -1 && $0 == -1 }) else {
      throw ProtocolBreach("the changes of an inventory come before the result: \(delta.shown)")
    }
  }
}
