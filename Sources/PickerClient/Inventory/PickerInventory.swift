import JSONText

/// What a session takes from an inventory: units of the keys of its value, such as the places of an
/// evening.
///
/// ```swift
/// if let hold = state.hold, hold.state == .held { print("yours until \(hold.until ?? "")") }
/// try await picker.hold()
/// ```
public struct PickerInventory: Hashable, Sendable {
  /// How many units the session can take of each key.
  public let units: ClosedRange<Int>
  /// Up to this many free units ``PickerLevel/few(left:)`` says how many.
  public let few: Int
  /// How long a hold lasts in seconds; 0: nothing can be held.
  public let holdSeconds: Int
  /// Whether there is a waiting list.
  public let hasWaiting: Bool
  /// How long an offer lasts in seconds.
  public let offerSeconds: Int

  init(_ tree: JSONTree) throws(MalformedMessage) {
    let units = try tree.need("units")
    let least = try units.number("min")
    self.units = least...max(least, try units.number("max"))
    few = try tree.number("few")
    holdSeconds = try tree.number("holdSeconds")
    hasWaiting = tree.flag("waiting")
    offerSeconds = try tree.number("offerSeconds")
  }
}

/// What a session holds, is offered or waits for.
public struct PickerHold: Hashable, Sendable {
  public enum State: String, Hashable, Sendable { case held, offered, waiting }

  public let state: State
  /// The keys of the inventory: days, instants, or a path.
  public let keys: [String]
  /// The units of each key.
  public let units: Int
  /// When a hold or an offer ends, in RFC 3339.
  public let until: String?
  /// The place in the line, from 1.
  public let place: Int?

  /// - Returns: `nil` for a state of a newer server.
  init?(_ tree: JSONTree) throws(MalformedMessage) {
    guard let state = State(rawValue: try tree.text("state")) else { return nil }
    self.state = state
    keys = try tree.list("keys").compactMap(\.string)
    units = try tree.number("units")
    until = tree["until"]?.string
    place = tree["place"]?.integer
  }
}

/// What the session sees of a day, a night, a time or a row of an inventory.
public enum PickerLevel: Hashable, Sendable {
  /// It can be had, and so many units are left.
  case few(left: Int)
  /// It cannot be had now: others hold it or are offered it.
  case held
  /// It cannot be had.
  case gone

  init?(_ tree: JSONTree) {
    switch tree["level"]?.string {
    case "few": self = .few(left: tree["left"]?.integer ?? 0)
    case "held": self = .held
    case "gone": self = .gone
    default: return nil
    }
  }
}

extension PickerState {
  /// Applies a change of type `inventory`, `units` or `hold`.
  mutating func applyInventory(
    _ change: JSONTree
  ) throws(MalformedMessage) -> [PickerNotice] {
    switch try change.text("change") {
    case "inventory":
      let settings = try change.need("inventory")
      inventory = settings.isNull ? nil : try PickerInventory(settings)
      if inventory == nil { (units, hold) = (1, nil) }
      return []
    case "units":
      units = try change.number("units")
      return [.units(units)]
    default:
      let before = hold
      hold = try PickerHold(change)
      return [.hold(hold, before: before, reason: change["reason"]?.string)]
    }
  }

  /// Applies the members of a snapshot.
  mutating func applyInventory(of snapshot: JSONTree) throws(MalformedMessage) {
    inventory = try snapshot["inventory"].map { tree throws(MalformedMessage) in
      try PickerInventory(tree)
    }
    units = snapshot["units"]?.integer ?? 1
    hold = try snapshot["hold"].flatMap { tree throws(MalformedMessage) in try PickerHold(tree) }
  }
}

extension PickerConnection {
  /// Sets how many units are taken of each key of the value.
  @discardableResult
  public func setUnits(_ units: Int) async throws(PickerFailure) -> Int {
    try await perform(.units(units))
  }

  /// Holds what is selected, or extends the hold.
  @discardableResult
  public func hold() async throws(PickerFailure) -> Int { try await perform(.hold) }

  /// Gives the hold or the offer back, or leaves the waiting list.
  @discardableResult
  public func release() async throws(PickerFailure) -> Int { try await perform(.release) }

  /// Joins the waiting list for a value that cannot be had now.
  ///
  /// - Parameter keys: Those of the value in their order; of a slot that of its start is enough.
  @discardableResult
  public func wait(for keys: [String]) async throws(PickerFailure) -> Int {
    try await perform(.wait(keys: keys))
  }
}
