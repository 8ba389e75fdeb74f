package import CivilTime
package import JSONText

/// The levels of an inventory's keys as one session sees them.
///
/// A picker has them instead of counts: a key that is not open acts as if its day, night or time
/// were taken.
///
/// A class, so that a picker without inventory copies one pointer.
/// - Source: web/guide/holds.md, "Levels".
package final class KeyLevels: Sendable {
  /// The keys that have something of their own, with their level or without one.
  package let named: [String: KeyLevel?]
  /// The level of all other keys.
  package let others: KeyLevel?
  private let kind: PickerKind
  /// ``named`` by date, of a calendar, ascending: each cell of a month is looked up.
  private let dates: [(key: CivilDate, level: KeyLevel?)]
  /// The dates of ``named`` that are not open, ascending.
  private let closedDates: [CivilDate]
  /// ``named`` by the second, of a slot, ascending.
  private let seconds: [(key: Int64, level: KeyLevel?)]
  /// The seconds of ``named`` that are not open, ascending.
  private let closedSeconds: [Int64]
  /// What they make of other levels; see ``with(_:)``.
  private let step: LevelStep?

  package init(
    _ named: [String: KeyLevel?], others: KeyLevel?, for kind: PickerKind, step: LevelStep? = nil
  ) {
    (self.named, self.others, self.kind) = (named, others, kind)
    self.step = step
    var (dates, seconds): ([(key: CivilDate, level: KeyLevel?)], [(key: Int64, level: KeyLevel?)])
    (dates, seconds) = ([], [])
    for (key, level) in named {
      if kind == .calendar, let date = CivilDate(iso: key.utf8) {
        dates.append((date, level))
      } else if kind == .slot, let instant = Instant(rfc3339: key.utf8) {
        seconds.append((instant.seconds, level))
      }
    }
    dates.sort { $0.key < $1.key }
    seconds.sort { $0.key < $1.key }
    (self.dates, self.seconds) = (dates, seconds)
    closedDates = dates.compactMap { $0.level.isOpen ? nil : $0.key }
    closedSeconds = seconds.compactMap { $0.level.isOpen ? nil : $0.key }
  }

  /// Some levels beside those of all other keys.
  ///
  /// - Parameter step: What ``with(_:)`` makes of them.
  package convenience init(
    _ named: [String: KeyLevel?], like levels: KeyLevels, step: LevelStep? = nil
  ) {
    self.init(named, others: levels.others, for: levels.kind, step: step)
  }

  /// Their memory in bytes, an estimate. Sessions may share it.
  package var byteCount: Int { 256 + 160 * named.count }

  package subscript(_ key: String) -> KeyLevel? {
    if let level = named[key] { level } else { others }
  }

  subscript(_ date: CivilDate) -> KeyLevel? {
    let index = dates.partitionPoint { $0.key >= date }
    return index < dates.count && dates[index].key == date ? dates[index].level : others
  }

  subscript(second second: Int64) -> KeyLevel? {
    let index = seconds.partitionPoint { $0.key >= second }
    return index < seconds.count && seconds[index].key == second ? seconds[index].level : others
  }

  /// Whether no key between the two seconds is closed, so that nobody need look at each.
  func areOpen(_ range: ClosedRange<Int64>) -> Bool {
    guard others.isOpen else { return false }
    let index = closedSeconds.partitionPoint { $0 >= range.lowerBound }
    return index == closedSeconds.count || closedSeconds[index] > range.upperBound
  }

  /// The nearest date that is not open after `date` (`isLater`) or before it; `nil` if there is
  /// none.
  func nextClosed(after date: CivilDate, isLater: Bool) -> CivilDate? {
    guard others.isOpen else {
      // Past the open dates that follow one another.
      var next = date.adding(days: isLater ? 1 : -1)
      while let day = next, self[day].isOpen { next = day.adding(days: isLater ? 1 : -1) }
      return next
    }
    let index = closedDates.partitionPoint { $0 >= date }
    if !isLater { return index > 0 ? closedDates[index - 1] : nil }
    let next = index < closedDates.count && closedDates[index] == date ? index + 1 : index
    return next < closedDates.count ? closedDates[next] : nil
  }
}

extension KeyLevels: Hashable {
  package static func == (left: KeyLevels, right: KeyLevels) -> Bool {
    left === right || left.others == right.others && left.named == right.named
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(named.count)
    hasher.combine(others)
  }
}

/// The stored form: `{"kind":KIND,"keys":{KEY:LEVEL|null},"others":LEVEL|null}`; a level is the
/// number of units that are left, `"held"` or `"gone"`.
extension KeyLevels {
  package var tree: JSONTree {
    .object([
      .init("kind", .string(kind.rawValue)),
      .init(
        "keys",
        .object(
          named.sorted { $0.key < $1.key }.map { .init($0.key, KeyLevels.tree($0.value)) })),
      .init("others", KeyLevels.tree(others)),
    ])
  }

  /// Reads what ``tree`` wrote; `nil` for anything else.
  package convenience init?(tree: JSONTree) {
    guard let kind = tree["kind"]?.string.flatMap(PickerKind.init(rawValue:)),
      let keys = tree["keys"]?.members, let others = tree["others"].flatMap(KeyLevels.level)
    else { return nil }
    var named: [String: KeyLevel?] = [:]
    for member in keys {
      guard let level = KeyLevels.level(member.value) else { return nil }
      named[member.key] = .some(level)
    }
    self.init(named, others: others, for: kind)
  }

  private static func tree(_ level: KeyLevel?) -> JSONTree {
    switch level {
    case nil: .null
    case .few(let left): .integer(left)
    case .held: .string("held")
    case .gone: .string("gone")
    }
  }

  private static func level(_ tree: JSONTree) -> KeyLevel?? {
    switch tree {
    case .null: .some(nil)
    case .integer(let left): .few(left: left)
    case .string("held"): .held
    case .string("gone"): .gone
    default: nil
    }
  }
}

extension Definition {
  /// The keys of the days or times that the list can show; `nil`: all.
  package func keysListed(at now: Instant) -> ClosedRange<String>? {
    switch rules {
    case .calendar:
      guard case .calendar(let bounds)? = try? self.bounds(at: now) else { return nil }
      return bounds.months.first.iso...(bounds.months.last.iso + "-31")
    case .slot:
      let today = zone.localDate(at: now)
      let last = today.adding(days: 368) ?? .last
      return (today.adding(days: -1) ?? .first).iso...last.iso
    case .date, .cascade, .columns, .availability: return nil
    }
  }
}

extension KeyLevels {
  /// These levels with some others: a key that has the level of all others is not named any more.
  package func with(_ new: KeyLevels) -> KeyLevels {
    if let known = new.step?.levels(after: self) { return known }
    var named = named
    for (key, level) in new.named {
      if level == new.others {
        named[key] = nil
      } else {
        named[key] = .some(level)
      }
    }
    return KeyLevels(named, others: new.others, for: kind)
  }
}

/// Levels, and what they become. Thousands of sessions with the same levels share the new ones,
/// which need not be made for each.
///
/// It keeps neither: a log in memory keeps entries for longer than a session has their levels.
package final class LevelStep: @unchecked Sendable {
  private weak var before: KeyLevels?
  private weak var after: KeyLevels?

  /// - Parameter after: Equal to what ``KeyLevels/with(_:)`` would make.
  package init(from before: KeyLevels, to after: KeyLevels) {
    (self.before, self.after) = (before, after)
  }

  /// - Returns: `nil` if the levels are others than those before, or nobody has those after.
  fileprivate func levels(after known: KeyLevels) -> KeyLevels? {
    known === before ? after : nil
  }
}
