package import JSONText
package import PickerModel

extension InventorySettings {
  /// The settings as requests and answers have them, with their defaults. `maxHoldSeconds` is only
  /// there if it was given, because its default follows `holdSeconds`.
  package var tree: JSONTree {
    var members: [JSONTree.Member] = [
      .init("capacity", .integer(capacity)),
      .init(
        "keys",
        .object(
          keys.sorted { $0.key.isBefore($1.key) }.map { .init($0.key, .integer($0.value)) })),
      .init(
        "units",
        .object([
          .init("min", .integer(units.lowerBound)), .init("max", .integer(units.upperBound)),
        ])), .init("few", .integer(few)), .init("holdSeconds", .integer(holdSeconds)),
    ]
    if let longestHoldSeconds {
      members.append(.init("maxHoldSeconds", .integer(longestHoldSeconds)))
    }
    if let perHolder { members.append(.init("perHolder", .integer(perHolder))) }
    members += [
      .init("waiting", .bool(isWaiting)), .init("offerSeconds", .integer(offerSeconds)),
    ]
    return .object(members)
  }

  /// The memory that they take in bytes, an estimate.
  package var byteCount: Int { keys.keys.reduce(256) { $0 + 64 + $1.utf8.count } }

  /// Reads settings. A field that is `null` has its default.
  ///
  /// - Parameter kind: That of the definition; `nil`: the settings are stored ones, whose keys are
  ///   not checked.
  /// - Throws: The first problem, with a pointer that begins with `/inventory`.
  package init(
    _ tree: JSONTree, for kind: PickerKind?
  ) throws(DefinitionProblem) {
    if let kind, !InventoryKey.isFor(kind) {
      throw InventoryField("").problem(
        "a \(kind.rawValue) has no inventory; the kinds with one are calendar, slot and cascade")
    }
    guard let members = tree.members else {
      throw InventoryField("").problem("inventory must be an object with capacity")
    }
    self.init(capacity: -1)
    var (least, most) = (1, 1)
    for member in members where member.value != .null {
      let (field, value) = (InventoryField("/\(member.key)"), member.value)
      switch member.key {
      case "capacity": capacity = try field.integer(value, 0...1_000_000)
      case "keys": keys = try field.keys(value, of: kind)
      case "units": (least, most) = try field.units(value)
      case "few": few = try field.integer(value, 0...1000)
      case "holdSeconds":
        holdSeconds = try field.integer(value, 0...86_400)
        guard holdSeconds == 0 || holdSeconds >= 5 else {
          throw field.problem("holdSeconds is \(holdSeconds); it must be 0, or from 5 to 86400")
        }
      case "maxHoldSeconds": longestHoldSeconds = try field.integer(value, 0...604_800)
      case "perHolder": perHolder = try field.integer(value, 1...100_000)
      case "waiting":
        guard let isWaiting = value.bool else {
          throw field.problem("waiting must be true or false")
        }
        self.isWaiting = isWaiting
      case "offerSeconds": offerSeconds = try field.integer(value, 5...604_800)
      default:
        throw InventoryField(JSONPointer.reference(to: member.key)).problem(
          "the field \(member.key.quoted) is unknown")
      }
    }
    guard capacity >= 0 else { throw InventoryField("/capacity").problem("capacity is missing") }
    guard least <= most else {
      throw InventoryField("/units/min").problem("min is \(least); it must be at most max, \(most)")
    }
    units = least...most
    if let longestHoldSeconds, longestHoldSeconds < holdSeconds {
      throw InventoryField("/maxHoldSeconds").problem(
        "maxHoldSeconds is \(longestHoldSeconds); it must be at least holdSeconds, \(holdSeconds)")
    }
  }
}

/// A field of the settings, by its pointer from the settings' root.
private struct InventoryField {
  let pointer: String

  init(_ pointer: String) { self.pointer = pointer }

  private var name: String { pointer.split(separator: "/").last.map(String.init) ?? "inventory" }

  func problem(_ detail: String) -> DefinitionProblem {
    DefinitionProblem(pointer: "/inventory" + pointer, detail: detail)
  }

  func integer(
    _ value: JSONTree, _ range: ClosedRange<Int>
  ) throws(DefinitionProblem) -> Int {
    if let number = value.integer, range.contains(number) { return number }
    throw problem(
      "\(name) must be an integer from \(range.lowerBound) to \(range.upperBound)")
  }

  func units(_ value: JSONTree) throws(DefinitionProblem) -> (Int, Int) {
    guard let members = value.members else {
      throw problem("units must be an object with min and max")
    }
    var (least, most) = (1, 1)
    for member in members where member.value != .null {
      let field = InventoryField(pointer + JSONPointer.reference(to: member.key))
      switch member.key {
      case "min": least = try field.integer(member.value, 1...1000)
      case "max": most = try field.integer(member.value, 1...1000)
      default: throw field.problem("the field \(member.key.quoted) is unknown")
      }
    }
    return (least, most)
  }

  func keys(_ value: JSONTree, of kind: PickerKind?) throws(DefinitionProblem) -> [String: Int] {
    guard let members = value.members else {
      throw problem("keys must be an object with units of single keys")
    }
    var keys: [String: Int] = [:]
    for member in members where member.value != .null {
      let field = InventoryField(pointer + JSONPointer.reference(to: member.key))
      if let kind, !InventoryKey.isKey(member.key, of: kind) {
        throw field.problem(
          "\(member.key.quoted) is no key of a \(kind.rawValue); it must be "
            + InventoryKey.example(of: kind))
      }
      keys[member.key] = try field.integer(member.value, 0...1_000_000)
    }
    guard keys.count <= 10_000 else { throw problem("keys may have at most 10000 keys") }
    return keys
  }
}

extension String {
  /// Whether it comes first in the order of UTF-8 bytes.
  package func isBefore(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
