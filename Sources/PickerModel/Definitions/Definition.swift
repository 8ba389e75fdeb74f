package import CivilTime
package import JSONText

/// A picker's kind and options, validated, with defaults filled in.
///
/// Immutable, and shared by all sessions that were made from it. Equality is identity: two
/// definitions made from the same document are not equal.
package final class Definition: Sendable {
  /// The kind's own options.
  enum Rules: Sendable {
    case date(DateKind)
    case slot(SlotKind)
    case cascade(CascadeKind)
    case columns(ColumnsKind)
    case calendar(CalendarKind)
    case availability(AvailabilityKind)
  }

  package let kind: PickerKind
  package let zone: ZoneRules
  /// The name of ``zone`` as given, such as `Asia/Shanghai`; default `UTC`.
  package let timeZone: String
  /// A BCP 47 tag; default `en`.
  package let locale: String
  let rules: Rules
  /// ``document(full:isExplicit:)`` without `nodes` and `columns`, as JSON. Encoded once, because
  /// 5,000 entries of `taken` take milliseconds.
  package let json: [UInt8]
  /// The document that members receive: ``json`` without `taken`, which has the ids and times of
  /// other people's bookings.
  package let memberJSON: [UInt8]
  /// The memory that the definition takes, in bytes, an estimate.
  package let byteCount: Int
  private let charge: MemoryCharge?

  private init(
    kind: PickerKind, zone: ZoneRules, timeZone: String, locale: String, rules: Rules,
    memory: (any MemoryAccount)?
  ) {
    self.kind = kind
    self.zone = zone
    self.timeZone = timeZone
    self.locale = locale
    self.rules = rules
    let members = rules.members(full: false)
    let visible = members.filter { $0.key != "taken" }
    json = Definition.document(kind, timeZone, locale, members).serialized()
    memberJSON =
      visible.count == members.count
      ? json : Definition.document(kind, timeZone, locale, visible).serialized()
    // The options, which `json` has, take about twice as much again once they are parsed.
    let ownCount = visible.count == members.count ? 0 : memberJSON.count
    byteCount =
      3 * json.count + ownCount + (rules.table?.byteCount ?? 0) + (rules.stays?.byteCount ?? 0)
    charge = memory.map { [byteCount] in MemoryCharge(byteCount, in: $0) }
  }
}

extension Definition {
  /// Validates a definition document.
  ///
  /// - Parameters:
  ///   - limits: The limits of the server; default: those of a server without settings.
  ///   - now: The time at which relative dates are checked as well. Without it only
  ///     ``Picker/init(_:now:)`` finds their problems.
  ///   - memory: Counts the definition as long as it exists.
  ///   - zone: Returns the rules of the zone with a name; `nil` if there is no such zone.
  /// - Throws: The first problem: of `kind`, then too many rows, then unknown fields, then the
  ///   others in document order.
  /// - Source: web/guide/definitions.md.
  package static func make(
    from tree: JSONTree, limits: DefinitionLimits = DefinitionLimits(), now: Instant? = nil,
    memory: (any MemoryAccount)? = nil, zone: (String) -> ZoneRules?
  ) throws(DefinitionProblem) -> Definition {
    guard case .object(let members) = tree else {
      throw DefinitionProblem("the definition is \(tree.noun); it must be an object")
    }
    let kind = try readKind(tree["kind"])
    // First, because a document can have many times as many rows as are allowed.
    try NodeReading(limits: limits).checkCounts(in: tree, of: kind)
    if let problem = shape(of: kind, tree).unknownField(in: tree) { throw problem }

    let names = DefinitionReader(members, limits: limits, today: nil)
    let name = tree["timeZone"]?.string ?? "UTC"
    let rules = zone(name) ?? (name == "UTC" ? .utc : nil)
    let today = now.flatMap { now in rules?.localDate(at: now) }
    var reader = DefinitionReader(members, limits: limits, today: today)
    let timeZone = reader.field("timeZone", missing: "UTC") { tree throws(DefinitionProblem) in
      let name = try tree.text(named: "timeZone", names.limits)
      if rules != nil { return name }
      throw DefinitionProblem("there is no time zone \"\(name)\"; a valid name is Asia/Shanghai")
    }
    let locale = reader.field("locale", missing: "en") { tree throws(DefinitionProblem) in
      let tag = try tree.text(named: "locale", names.limits)
      if LanguageTag.isWellFormed(tag) { return tag }
      throw DefinitionProblem("\"\(tag)\" is not a BCP 47 language tag; a valid tag is zh-Hans")
    }
    let options = read(kind, &reader, in: rules)
    try reader.finish()
    return Definition(
      kind: kind, zone: rules!, timeZone: timeZone!, locale: locale!, rules: options!,
      memory: memory)
  }

  private static func readKind(_ tree: JSONTree?) throws(DefinitionProblem) -> PickerKind {
    if case .string(let name)? = tree, let kind = PickerKind(rawValue: name) { return kind }
    let found = tree.map { "kind is \($0.noun)" } ?? "kind is missing"
    let kinds = PickerKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    throw DefinitionProblem("\(found); it must be one of \(kinds)").under("kind")
  }

  private static func shape(of kind: PickerKind, _ tree: JSONTree) -> FieldShape {
    let own =
      switch kind {
      case .date: DateKind.shape
      case .slot: SlotKind.shape
      case .cascade: CascadeKind.shape
      case .columns: ColumnsKind.shape
      case .calendar: CalendarKind.shape(of: tree)
      case .availability: AvailabilityKind.shape
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
    case .availability: AvailabilityKind(&reader, in: zone).map(Rules.availability)
    }
  }

  /// The definition as a document, from which ``make(from:limits:now:memory:zone:)`` makes an
  /// equivalent definition if `isFull`.
  ///
  /// Missing fields are filled in with their defaults. A missing field that has no default, such as
  /// `maxDays`, `currency`, `taken` or `closes`, is left out.
  /// - Parameters:
  ///   - isFull: Whether to include `nodes` and `columns`, which can be large.
  ///   - isExplicit: Whether to write each row as an object with its key, however it was given.
  package func document(full isFull: Bool, isExplicit: Bool = false) -> JSONTree {
    Definition.document(
      kind, timeZone, locale, rules.members(full: isFull, isExplicit: isExplicit))
  }

  /// ``document(full:isExplicit:)`` with `nodes` and `columns`, as JSON. Without either it is
  /// ``json``.
  package var fullJSON: [UInt8] {
    guard let table = rules.table else { return json }
    let start = Definition.document(kind, timeZone, locale, []).serialized().dropLast()
    var writer = JSONWriter(capacity: json.count + 2 * table.strings.byteCount)
    writer.raw(Array(start))
    if case .columns = rules {
      writer.literal(",\"columns\":[")
      for (column, list) in table.roots.enumerated() {
        if column > 0 { writer.literal(",") }
        table.write(list, to: &writer)
      }
      writer.literal("]")
    } else {
      writer.literal(",\"nodes\":")
      table.write(table.roots[0], to: &writer)
    }
    writer.raw(Array(json[start.count...]))
    return writer.bytes
  }

  /// ``fullJSON`` for a reader of a session.
  ///
  /// - Parameter seesAll: Whether the reader may change the session; for others it is without
  ///   `taken`.
  package func fullJSON(seesAll: Bool) -> [UInt8] {
    switch kind {
    case .date, .slot, .calendar, .availability: seesAll ? json : memberJSON
    case .cascade, .columns: fullJSON
    }
  }

  private static func document(
    _ kind: PickerKind, _ timeZone: String, _ locale: String, _ own: [JSONTree.Member]
  ) -> JSONTree {
    let shared: [JSONTree.Member] = [
      .init("kind", .string(kind.rawValue)), .init("timeZone", .string(timeZone)),
      .init("locale", .string(locale)),
    ]
    return .object(shared + own)
  }
}

extension Definition.Rules {
  /// The fields of the kind.
  fileprivate func members(full isFull: Bool, isExplicit: Bool = false) -> [JSONTree.Member] {
    switch self {
    case .date(let kind): kind.members
    case .slot(let kind): kind.members
    case .cascade(let kind): kind.members(full: isFull, isExplicit: isExplicit)
    case .columns(let kind): kind.members(full: isFull, isExplicit: isExplicit)
    case .calendar(let kind): kind.members
    case .availability(let kind): kind.members
    }
  }
}

extension Definition: Hashable {
  package static func == (left: Definition, right: Definition) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Definition {
  /// The bounds at the time `now`.
  ///
  /// - Throws: A problem of the bounds that a definition made now would have.
  func bounds(at now: Instant) throws(DefinitionProblem) -> PickerBounds {
    switch rules {
    case .date(let kind): .dates(try kind.bounds(today: zone.localDate(at: now)))
    case .slot(let kind): .slots(earliest: try kind.earliest(at: now, in: zone))
    case .cascade, .columns: .fixed
    case .calendar(let kind): .calendar(try kind.dates.bounds(today: zone.localDate(at: now)))
    case .availability(let kind): try kind.bounds(today: zone.localDate(at: now))
    }
  }

  /// The rules of the columns within `bounds`.
  ///
  /// - Parameters:
  ///   - goalDay: For a `date` with `rememberDay`: the day of the month to return to.
  ///   - known: For a `slot`: the days computed for an earlier or the same time, to save work.
  /// - Precondition: The kind has columns, and `bounds` are its.
  func columnRules(
    within bounds: PickerBounds, today: CivilDate, goalDay: Int?,
    knowing known: (earliest: Instant, days: SlotDays)?, seeing levels: KeyLevels? = nil
  ) -> any ColumnRules {
    switch rules {
    case .date:
      guard case .dates(let bounds) = bounds else { break }
      return DateRules(bounds: bounds, goalDay: goalDay)
    case .slot(let kind):
      guard case .slots(let earliest) = bounds else { break }
      return SlotRules(
        kind: kind, zone: zone, earliest: earliest, today: today, knowing: known, seeing: levels)
    case .cascade(let kind): return kind
    case .columns(let kind): return kind
    case .calendar, .availability: break
    }
    preconditionFailure("of another kind")
  }

  /// The goal day of a picker with `value`: its own if it has one, otherwise the selected day.
  ///
  /// - Returns: `nil` unless this is a `date` with `rememberDay`.
  func goalDay(keeping value: PickerSelection) -> Int? {
    guard case .date(let kind) = rules, kind.rememberDay else { return nil }
    return value.goalDay ?? value.keys.last.flatMap { number($0, digitCount: 2) }
  }
}

extension Definition {
  /// The first day of a calendar's weeks, 1 = Sunday … 7 = Saturday; `nil` for the other kinds.
  package var firstWeekday: Int? {
    if case .calendar(let kind) = rules { kind.firstWeekday } else { nil }
  }

  /// Whether the ranges of a calendar are stays: from the day of arrival to that of departure.
  package var isNights: Bool { rules.stays != nil }

  /// The length of a slot's booking in minutes; `nil` for the other kinds.
  package var bookingMinutes: Int? {
    if case .slot(let kind) = rules { kind.minutes } else { nil }
  }

  /// An estimate of the memory that the definition takes: its number of rows, or the number of
  /// entries of `taken` that are as long as its JSON.
  package var weight: Int { rules.table?.count ?? max(1, json.count / 64) }
}

extension Definition.Rules {
  /// The rows of the definition, if it lists them.
  var table: NodeTable? {
    switch self {
    case .date, .slot, .calendar, .availability: nil
    case .cascade(let kind): kind.table
    case .columns(let kind): kind.table
    }
  }

  /// The rules of a calendar of nights.
  var stays: StayRules? { if case .calendar(let kind) = self { kind.stays } else { nil } }
}
