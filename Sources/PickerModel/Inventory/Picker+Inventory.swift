import CivilTime
package import JSONText

/// Pickers whose values are taken from an inventory.
///
/// - Source: web/guide/holds.md.
extension Picker {
  /// The levels that the picker sees; `nil` without inventory.
  package var levels: KeyLevels? {
    switch self {
    case .columns(let box): box.shape.levels
    case .calendar(let box): box.shape.kind.inventory
    case .availability: nil
    }
  }

  /// Takes other levels. What is selected stays as far as they allow it.
  ///
  /// Call ``tick(_:)`` with the current time before.
  package mutating func see(_ levels: KeyLevels?) -> TickAnswer {
    if levels == self.levels { return TickAnswer() }
    switch consume self {
    case .columns(var box):
      defer { self = .columns(box) }
      return box.shape.see(levels)
    case .calendar(var box):
      defer { self = .calendar(box) }
      return box.shape.see(levels)
    case .availability(let box):
      self = .availability(box)
      return TickAnswer()
    }
  }

  /// Selects the value that others have given back.
  ///
  /// - Returns: The changes, with the cause `inventory` and the reason `offered`.
  /// - Throws: ``Refusal`` if the value is not allowed any more. The picker is unchanged then.
  package mutating func take(offered fields: ResultFields) throws(Refusal) -> [PickerChange] {
    var copy = self
    let changes: [PickerChange]
    switch consume copy {
    case .columns(var box):
      changes = try box.shape.take(offered: fields)
      copy = .columns(box)
    case .calendar(var box):
      changes = try box.shape.take(offered: fields)
      copy = .calendar(box)
    case .availability(var box):
      changes = try box.shape.take(offered: fields)
      copy = .availability(box)
    }
    self = copy
    return changes
  }

  /// The keys of the selected value in their order, at most one more than a value may have; empty
  /// if the value is not complete.
  package var keys: [String] {
    switch self {
    case .calendar(let box):
      guard let range = box.shape.range, !box.shape.isRangeOpen else { return [] }
      let count = range.isStay ? range.nightCount : range.dayCount
      return (0..<min(count, Picker.keyCountMax + 1)).map { range.start.adding(days: $0)!.iso }
    case .columns(let box):
      switch box.shape.result {
      case .slot(_, let instant, until: _):
        return definition.slotKeys(from: instant).map { Instant(seconds: $0).rfc3339Seconds }
      case .keys(let keys) where definition.kind == .cascade: return [Picker.key(ofPath: keys)]
      default: return []
      }
    case .availability: return []
    }
  }

  /// The maximum number of keys of a value that is taken from an inventory.
  package static let keyCountMax = 366

  /// The key of a row of a cascade.
  static func key(ofPath keys: [String]) -> String {
    keys.map { key in
      key.utf8.contains(UInt8(ascii: "~")) || key.utf8.contains(UInt8(ascii: "/"))
        ? key.replacing("~", by: "~0").replacing("/", by: "~1") : key
    }.joined(separator: "/")
  }

  /// The value whose keys are `keys`, if the rules allow it apart from the inventory; of a slot
  /// they may be only that of its start.
  ///
  /// - Returns: The value with all its keys; `nil` if there is none.
  package func value(ofKeys keys: [String]) -> (fields: ResultFields, keys: [String])? {
    guard let fields = definition.fields(ofKeys: keys) else { return nil }
    var picker = self
    _ = picker.see(nil)
    let actor = Actor(.host, limits: PickerLimits(respondentsMax: 0, runsMax: 0))
    guard (try? picker.perform(.set(fields), by: actor)) != nil else { return nil }
    let all = picker.keys
    let isWhole = all.isExactly(keys)
    let isStart = definition.kind == .slot && keys.count == 1 && all.first == keys.first
    return isWhole || isStart ? (fields, all) : nil
  }
}

extension Definition {
  /// The seconds of a slot's keys.
  func slotKeys(from start: Instant) -> [Int64] {
    guard case .slot(let kind) = rules else { return [] }
    return Array(
      stride(
        from: start.seconds, to: start.seconds + Int64(kind.occupiedMinutes * 60),
        by: kind.stepMinutes * 60))
  }

  /// The fields of the result whose keys begin with the first key and end with the last.
  fileprivate func fields(ofKeys keys: [String]) -> ResultFields? {
    guard let first = keys.first, let last = keys.last else { return nil }
    let members: [JSONTree.Member]
    switch rules {
    case .calendar(let kind):
      guard let end = CivilDate(iso: last.utf8)?.adding(days: kind.unit == .nights ? 1 : 0)
      else { return nil }
      members =
        kind.selection == .single
        ? [.init("date", .string(first))]
        : [.init("start", .string(first)), .init("end", .string(end.iso))]
    case .slot: members = [.init("instant", .string(first))]
    case .cascade:
      guard keys.count == 1 else { return nil }
      let path = first.split(separator: "/", omittingEmptySubsequences: false).map { part in
        String(part).replacing("~1", by: "/").replacing("~0", by: "~")
      }
      members = [.init("keys", .array(path.map(JSONTree.string)))]
    case .date, .columns, .availability: return nil
    }
    return try? ResultFields(.object(members))
  }
}

extension SlotKind {
  /// The minutes that a booking takes, with what is kept free after it.
  var occupiedMinutes: Int { minutes + bufferMinutes }
}

extension String {
  /// Without Foundation.
  fileprivate func replacing(_ old: String, by new: String) -> String {
    var parts: [String] = []
    var rest = self[...]
    while let first = old.first, let index = rest.firstIndex(of: first) {
      guard rest[index...].hasPrefix(old) else {
        let next = rest.index(after: index)
        parts.append(String(rest[..<next]))
        rest = rest[next...]
        continue
      }
      parts.append(String(rest[..<index]))
      parts.append(new)
      rest = rest[rest.index(index, offsetBy: old.count)...]
    }
    return parts.joined() + rest
  }
}
