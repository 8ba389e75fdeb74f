package import CivilTime
package import JSONText

/// What a picker is: its kind and options, checked, with defaults filled in.
///
/// Immutable, shared by every session that was made from it; equal when it is the same one.
package final class Definition: Sendable {
  /// The kind's own options.
  enum Rules: Sendable {
    case date(DateKind)
    case slot(SlotKind)
    case cascade(CascadeKind)
    case columns(ColumnsKind)
    case calendar(CalendarKind)
  }

  package let kind: PickerKind
  package let zone: ZoneRules
  /// The zone as the definition names it.
  package let timeZone: String
  /// A BCP 47 tag.
  package let locale: String
  let rules: Rules

  private init(
    kind: PickerKind, zone: ZoneRules, timeZone: String, locale: String, rules: Rules
  ) {
    self.kind = kind
    self.zone = zone
    self.timeZone = timeZone
    self.locale = locale
    self.rules = rules
  }
}

extension Definition {
  /// Checks a definition and makes it.
  ///
  /// - Parameter limits: Defaults as in rules.md.
  /// - Parameter now: The moment for which it is made. With it, what is wrong with relative dates
  ///   is found at its place in document order; without it, ``Picker/init(_:now:)`` finds it.
  /// - Parameter zone: The rules of a zone by its name; `nil` if there is no such zone.
  /// - Throws: The first problem: of `kind`, then unknown fields, then in document order.
  /// - Source: rules.md, "Limits of a definition".
  package static func make(
    from tree: JSONTree, limits: DefinitionLimits = DefinitionLimits(), now: Instant? = nil,
    zone: (String) -> ZoneRules?
  ) throws(DefinitionProblem) -> Definition {
    guard case .object(let members) = tree else {
      throw DefinitionProblem("the definition is \(tree.noun); it must be an object")
    }
    let kind = try readKind(tree["kind"])
    if let stranger = shape(of: kind).unknownField(in: tree) { throw stranger }

    let names = DefinitionReader(members, limits: limits, today: nil)
    let name = tree["timeZone"]?.string ?? "UTC"
    let rules = zone(name) ?? (name == "UTC" ? .utc : nil)
    let today = now.flatMap { now in rules?.localDate(at: now) }
    var reader = DefinitionReader(members, limits: limits, today: today)
    let timeZone = reader.field("timeZone", missing: "UTC") { tree throws(DefinitionProblem) in
      let name = try tree.text(named: "timeZone", names.limits)
      if rules != nil { return name }
      throw DefinitionProblem("there is no time zone \"\(name)\"; names are like Asia/Shanghai")
    }
    let locale = reader.field("locale", missing: "en") { tree throws(DefinitionProblem) in
      let tag = try tree.text(named: "locale", names.limits)
      if LanguageTag.isWellFormed(tag) { return tag }
      throw DefinitionProblem("\"\(tag)\" is no BCP 47 language tag; they are like zh-Hans")
    }
    let options = read(kind, &reader, in: rules)
    try reader.finish()
    return Definition(
      kind: kind, zone: rules!, timeZone: timeZone!, locale: locale!, rules: options!)
  }

  private static func readKind(_ tree: JSONTree?) throws(DefinitionProblem) -> PickerKind {
    if case .string(let name)? = tree, let kind = PickerKind(rawValue: name) { return kind }
    let found = tree.map { "kind is \($0.noun)" } ?? "kind is missing"
    let kinds = PickerKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    throw DefinitionProblem("\(found); it must be one of \(kinds)").under("kind")
  }

  private static func shape(of kind: PickerKind) -> FieldShape {
    let own =
      switch kind {
      case .date: DateKind.shape
      case .slot: SlotKind.shape
      case .cascade: CascadeKind.shape
      case .columns: ColumnsKind.shape
      case .calendar: CalendarKind.shape
      }
    let shared: [String: FieldShape] = ["kind": .value, "timeZone": .value, "locale": .value]
    return .fields(shared.merging(own) { shared, _ in shared })
  }

  private static func read(
    _ kind: PickerKind, _ reader: inout DefinitionReader, in zone: ZoneRules?
  ) -> Rules? {
    switch kind {
    case .date: DateKind(&reader).map(Rules.date)
    case .slot: SlotKind(&reader, in: zone).map(Rules.slot)
    case .cascade: CascadeKind(&reader).map(Rules.cascade)
    case .columns: ColumnsKind(&reader).map(Rules.columns)
    case .calendar: CalendarKind(&reader).map(Rules.calendar)
    }
  }

  /// The definition as a document from which ``make(from:limits:now:zone:)`` makes an equal one.
  ///
  /// Defaults are filled in where there is one to write: not for a calendar's `min`, `max`,
  /// `maxDays` and `blocked`.
  /// - Parameters:
  ///   - isFull: Whether `nodes` and `columns` are there.
  ///   - isExplicit: Whether rows are written with a key each, however they were given.
  package func document(full isFull: Bool, isExplicit: Bool = false) -> JSONTree {
    let own =
      switch rules {
      case .date(let kind): kind.members
      case .slot(let kind): kind.members
      case .cascade(let kind): kind.members(full: isFull, isExplicit: isExplicit)
      case .columns(let kind): kind.members(full: isFull, isExplicit: isExplicit)
      case .calendar(let kind): kind.members
      }
    let shared: [JSONTree.Member] = [
      .init("kind", .string(kind.rawValue)), .init("timeZone", .string(timeZone)),
      .init("locale", .string(locale)),
    ]
    return .object(shared + own)
  }
}

extension Definition: Hashable {
  package static func == (left: Definition, right: Definition) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Definition {
  /// The bounds that time sets at `now`.
  ///
  /// - Throws: What would be a problem of a definition made now.
  func bounds(at now: Instant) throws(DefinitionProblem) -> PickerBounds {
    switch rules {
    case .date(let kind): .dates(try kind.bounds(today: zone.localDate(at: now)))
    case .slot(let kind): .slots(earliest: try kind.earliest(at: now, in: zone))
    case .cascade, .columns: .fixed
    case .calendar(let kind): .calendar(try kind.dates.bounds(today: zone.localDate(at: now)))
    }
  }

  /// What the kind shows and accepts within `bounds`; `nil` for a calendar.
  ///
  /// - Parameters:
  ///   - goalDay: Of a `date` that remembers the day.
  ///   - known: The days of a slot at an earlier or the same time.
  /// - Precondition: The bounds are of this kind.
  func columnRules(
    within bounds: PickerBounds, today: CivilDate, goalDay: Int?,
    knowing known: (earliest: Instant, days: SlotDays)?
  ) -> (any ColumnRules)? {
    switch rules {
    case .date:
      guard case .dates(let bounds) = bounds else { break }
      return DateRules(bounds: bounds, goalDay: goalDay)
    case .slot(let kind):
      guard case .slots(let earliest) = bounds else { break }
      return SlotRules(kind: kind, zone: zone, earliest: earliest, today: today, knowing: known)
    case .cascade(let kind): return kind
    case .columns(let kind): return kind
    case .calendar: return nil
    }
    preconditionFailure("bounds of another kind")
  }

  /// The goal day of a picker with `value`: the one that it had, else the day that it shows.
  ///
  /// - Returns: `nil` for what is no `date` that remembers the day.
  func goalDay(keeping value: PickerValue) -> Int? {
    guard case .date(let kind) = rules, kind.rememberDay else { return nil }
    return value.goalDay ?? value.keys.last.flatMap { number($0, digitCount: 2) }
  }

  /// What a calendar shows and accepts within `bounds`; `nil` for the other kinds.
  func calendarRules(within bounds: PickerBounds) -> CalendarRules? {
    guard case .calendar(let kind) = rules, case .calendar(let bounds) = bounds else { return nil }
    return CalendarRules(kind: kind, bounds: bounds)
  }
}
