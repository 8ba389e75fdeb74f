import JSONText
import PickerClient

extension Sentences {
  /// `held until 12:05:00 UTC`; `nil` if nothing is held, offered or waited for.
  static func hold(_ hold: PickerHold?) -> String? {
    guard let hold else { return nil }
    let until = hold.until.map { " until \($0.dropFirst(11).prefix(8)) UTC" } ?? ""
    switch hold.state {
    case .held: return "held" + until
    case .offered: return "offered to you" + until + ": confirm takes it"
    case .waiting: return "waiting" + (hold.place.map { ", place \($0)" } ?? "")
    }
  }

  /// Why a hold, an offer or a place has ended.
  static func holdEnd(_ reason: String?) -> String? {
    switch reason {
    case "released": "given back"
    case "expired": "the time of the hold is over"
    case "moved": "no longer held: another value is chosen"
    case "left": "no longer held: nobody was there"
    case "lost": "what was offered is no longer allowed"
    case "booked": nil
    default: "no longer held"
    }
  }

  /// `2 left`; `nil` where there is nothing to say.
  static func level(_ level: PickerLevel?) -> String? {
    switch level {
    case nil: nil
    case .few(let left): "\(left) left"
    case .held: "held by others"
    case .gone: "sold out"
    }
  }
}

extension StateDocument {
  /// `inventory`, `units` and `hold`, as a snapshot has them.
  static func inventory(_ state: PickerState) -> [JSONTree.Member] {
    guard let inventory = state.inventory else { return [] }
    let settings = JSONTree.object([
      .init(
        "units",
        .object([
          .init("min", .integer(inventory.units.lowerBound)),
          .init("max", .integer(inventory.units.upperBound)),
        ])), .init("few", .integer(inventory.few)),
      .init("holdSeconds", .integer(inventory.holdSeconds)),
      .init("waiting", .bool(inventory.hasWaiting)),
      .init("offerSeconds", .integer(inventory.offerSeconds)),
    ])
    var members: [JSONTree.Member] = [
      .init("inventory", settings), .init("units", .integer(state.units)),
    ]
    guard let hold = state.hold else { return members }
    var claim: [JSONTree.Member] = [
      .init("state", .string(hold.state.rawValue)),
      .init("keys", .array(hold.keys.map(JSONTree.string))), .init("units", .integer(hold.units)),
    ]
    if let until = hold.until { claim.append(.init("until", .string(until))) }
    if let place = hold.place { claim.append(.init("place", .integer(place))) }
    members.append(.init("hold", .object(claim)))
    return members
  }

  /// `level` and, if few are left, `left`.
  static func level(_ level: PickerLevel?) -> [JSONTree.Member] {
    switch level {
    case nil: []
    case .few(let left): [.init("level", .string("few")), .init("left", .integer(left))]
    case .held: [.init("level", .string("held"))]
    case .gone: [.init("level", .string("gone"))]
    }
  }
}
