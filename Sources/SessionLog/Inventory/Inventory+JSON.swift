import CivilTime
import JSONText
import PickerModel
import PickerSession

// The stored JSON of what a session knows of its inventory.

extension LogEntry {
  /// The stored JSON of a decided entry: that of the entry itself, and its outcome.
  func json(of decided: DecidedEntry) -> [UInt8] {
    var json = LogEntry(at: at, body: decided.body, op: op).json
    guard let outcome = decided.outcome else { return json }
    json.removeLast()
    return json + Array(",\"outcome\":".utf8) + outcome.tree.serialized() + Array("}".utf8)
  }

  /// The entry with its outcome, as it was stored.
  func with(_ outcome: InventoryOutcome) -> LogEntry {
    LogEntry(at: at, body: .decided(DecidedEntry(body, demand: nil, outcome: outcome)), op: op)
  }
}

extension JSONTree {
  /// An object without a member.
  func without(_ key: String) -> JSONTree {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.key != key })
  }
}

extension KeyLevels: Stored {}
extension Claim.State: Stored {}
extension InventoryRefusal.Code: Stored {}

extension InventorySettings: Stored {
  /// The keys were checked before they were stored: a cascade's can have any form.
  init?(tree: JSONTree) {
    guard let settings = try? InventorySettings(tree, for: .cascade) else { return nil }
    self = settings
  }
}

extension Claim: StoredObject {
  static let fields = StoredFields<Claim>(
    .init("state", \.state), .init("keys", \.keys), .init("units", \.units),
    .init("until", \.until), .init("order", \.order), .init("place", \.place)
  ) { Claim(state: $0, keys: $1, units: $2, until: $3, order: $4, place: $5) }
}

extension NumberedClaim: StoredObject {
  static let fields = StoredFields<NumberedClaim>(
    .init("claim", \.claim), .init("number", \.number)
  ) { NumberedClaim($0, number: $1) }
}

extension InventoryRefusal: StoredObject {
  static let fields = StoredFields<InventoryRefusal>(
    .init("code", \.code), .init("keys", \.keys), .init("until", \.until)
  ) { InventoryRefusal($0, keys: $1, until: $2) }
}

extension InventoryOutcome: StoredObject {
  static let fields = StoredFields<InventoryOutcome>(
    .init("refusal", \.refusal), .init("claim", \.claim)
  ) { InventoryOutcome($0, claim: $1) }
}

extension KnownInventory: StoredObject {
  static let fields = StoredFields<KnownInventory>(
    .init("settings", \.settings), .init("units", \.units), .init("claim", \.claim),
    .init("levels", \.levels)
  ) { KnownInventory(settings: $0, units: $1, claim: $2, levels: $3) }
}

extension InventoryNews: StoredObject {
  static let fields = StoredFields<InventoryNews>(
    .init("levels", \.levels), .init("whole", \.isWhole), .init("claim", \.claim)
  ) { InventoryNews(levels: $0, isWhole: $1, claim: $2) }
}
