import CivilTime
import JSONText
import PickerModel
import PickerSession

/// Writes what members see of an inventory.
///
/// - Source: web/client/api/asyncapi.json; web/guide/holds.md.
extension JSONWriter {
  /// `,"inventory":{…},"units":…` and, if there is one, `,"hold":{…}` of a snapshot.
  mutating func inventory(_ state: KnownInventory?) {
    guard let state else { return }
    literal(",\"inventory\":")
    settings(state.settings)
    literal(",\"units\":", state.units)
    guard let claim = state.claim.claim, claim.state != .booked else { return }
    literal(",\"hold\":{")
    self.claim(claim)
    literal("}")
  }

  /// The changes of a delta, separated by commas, without brackets.
  mutating func inventoryChanges(_ edit: InventoryEdit) {
    var isFirst = true
    func comma(_ writer: inout JSONWriter) {
      if !isFirst { writer.literal(",") }
      isFirst = false
    }
    if let settings = edit.settings {
      comma(&self)
      literal("{\"change\":\"inventory\",\"inventory\":")
      if let settings { self.settings(settings) } else { literal("null") }
      literal("}")
    }
    if let units = edit.units {
      comma(&self)
      literal("{\"change\":\"units\",\"units\":", units)
      literal("}")
    }
    guard let hold = edit.hold else { return }
    comma(&self)
    literal("{\"change\":\"hold\",")
    switch hold {
    case .has(let claim): self.claim(claim)
    case .ended(let reason):
      literal("\"state\":\"none\",\"reason\":", reason.rawValue)
    }
    literal("}")
  }

  /// What clients need of the settings.
  private mutating func settings(_ settings: InventorySettings) {
    literal("{\"units\":{\"min\":", settings.units.lowerBound)
    literal(",\"max\":", settings.units.upperBound)
    literal("},\"few\":", settings.few)
    literal(",\"holdSeconds\":", settings.holdSeconds)
    literal(",\"waiting\":", settings.isWaiting)
    literal(",\"offerSeconds\":", settings.offerSeconds)
    literal("}")
  }

  /// `"state","keys","units","until"?,"place"?` without braces.
  private mutating func claim(_ claim: Claim) {
    literal("\"state\":\"")
    raw(claim.state.rawValue)
    literal("\",\"keys\":", .array(claim.keys.map(JSONTree.string)))
    literal(",\"units\":", claim.units)
    if let until = claim.until { self.until(until) }
    if let place = claim.place { literal(",\"place\":", place) }
  }

  /// The fields of a command, each preceded by a comma.
  mutating func inventoryCommand(_ command: InventoryCommand) {
    switch command {
    case .units(let units):
      literal(",\"units\":", units)
    case .wait(let keys):
      literal(",\"keys\":", .array(keys.map(JSONTree.string)))
    case .hold, .release: return
    }
  }

  /// `"inventory","keys":{…},"others":{…}`, the type of a line of the log and the levels of its
  /// entry.
  mutating func inventoryNews(_ news: InventoryNews) {
    literal("\"inventory\"")
    guard let levels = news.levels else { return }
    func tree(_ level: KeyLevel?) -> JSONTree { .object(level?.members ?? []) }
    let keys = levels.named.sorted { $0.key < $1.key }.map {
      JSONTree.Member($0.key, tree($0.value))
    }
    literal(",\"keys\":")
    self.tree(.object(keys))
    literal(",\"others\":")
    self.tree(tree(levels.others))
  }
}
