import CivilTime
package import JSONText

/// The times at which a member is free or busy, as a host knows them from a calendar.
///
/// - Source: web/guide/availability.md, "From a calendar that you know".
package struct MarkImport: Hashable, Sendable {
  /// The member's id.
  package let member: String
  /// Whether the times are dates.
  package let areDates: Bool
  /// Each ascending, without overlaps: seconds since 1970-01-01T00:00Z, or ordinals of dates.
  private let free: [Range<Int64>]
  private let tentative: [Range<Int64>]
  private let busy: [Range<Int64>]

  package static let fields = ["free", "tentative", "busy"]
  /// In all three lists together.
  package static let intervalsMax = 1_000

  /// Reads the body of a request.
  ///
  /// - Throws: ``DefinitionProblem`` with a pointer into the body.
  package init(
    _ tree: JSONTree, of member: String, for definition: Definition
  ) throws(DefinitionProblem) {
    guard case .availability(let kind) = definition.rules else {
      throw DefinitionProblem("\(definition.kind) pickers have no marks")
    }
    self.member = member
    areDates = kind.cellsAreDates
    let members = try tree.fields(named: "the body")
    for member in members where !MarkImport.fields.contains(member.key) {
      throw DefinitionProblem("unknown field; the fields are free, tentative and busy")
        .under(member.key)
    }
    var count = 0
    func list(_ name: String) throws(DefinitionProblem) -> [Range<Int64>] {
      try under(name) { () throws(DefinitionProblem) in
        try MarkImport.intervals(
          tree[name], named: name, isInside: name == "free", kind, &count)
      }.merged()
    }
    (free, tentative, busy) = (try list("free"), try list("tentative"), try list("busy"))
  }

  private static func intervals(
    _ tree: JSONTree?, named name: String, isInside: Bool, _ kind: AvailabilityKind,
    _ count: inout Int
  ) throws(DefinitionProblem) -> [Range<Int64>] {
    guard let tree else { return [] }
    guard let elements = tree.array else {
      throw DefinitionProblem("\(name) is \(tree.noun); it must be an array of intervals")
    }
    count += elements.count
    guard count <= intervalsMax else {
      throw DefinitionProblem("there are more than \(intervalsMax) intervals")
    }
    return try elements.read { element throws(DefinitionProblem) in
      kind.cellsAreDates
        ? try dates(element) : try times(element, isInside: isInside, kind.cellZone.rules)
    }
  }

  /// - Parameter isInside: Whether only cells that lie inside the interval count, so that it is
  ///   rounded inwards to whole seconds; otherwise outwards.
  private static func times(
    _ tree: JSONTree, isInside: Bool, _ zone: ZoneRules
  ) throws(DefinitionProblem) -> Range<Int64> {
    let fields = try fields(of: tree, "from", "until")
    func instant(_ name: String) throws(DefinitionProblem) -> Instant {
      guard let text = fields[name]?.string, let moment = TakenTimes.Moment(text) else {
        throw DefinitionProblem(
          "\(name) must be a local time, YYYY-MM-DDTHH:MM, or an instant with an offset, such as "
            + "2026-11-23T10:00:00Z"
        ).under(name)
      }
      return moment.instant(in: zone)
    }
    let from = try instant("from")
    let until = try instant("until")
    guard until > from else {
      throw DefinitionProblem("until must be later than from").under("until")
    }
    let start = (isInside ? from.adding(milliseconds: 999) : from).seconds
    let end = (isInside ? until : until.adding(milliseconds: 999)).seconds
    return start..<max(start, end)
  }

  private static func dates(_ tree: JSONTree) throws(DefinitionProblem) -> Range<Int64> {
    let fields = try fields(of: tree, "from", "through")
    func date(_ name: String) throws(DefinitionProblem) -> CivilDate {
      guard let text = fields[name]?.string, let date = CivilDate(iso: text.utf8) else {
        throw DefinitionProblem("\(name) must be a plain date: YYYY-MM-DD").under(name)
      }
      return date
    }
    let from = try date("from")
    let through = fields["through"] == nil ? from : try date("through")
    guard through >= from else {
      throw DefinitionProblem("through must not be before from").under("through")
    }
    return Int64(from.ordinal)..<Int64(through.ordinal) + 1
  }

  private static func fields(
    of tree: JSONTree, _ first: String, _ second: String
  ) throws(DefinitionProblem) -> JSONTree {
    for member in try tree.fields(named: "an interval")
    where member.key != first && member.key != second {
      throw DefinitionProblem("unknown field; an interval has \(first) and \(second)")
        .under(member.key)
    }
    return tree
  }

  /// The grades of cells; `nil` where the calendar says nothing.
  func grades(of cells: CellList, hasMaybe: Bool) -> [Grade?] {
    var grades = [Grade?](repeating: nil, count: cells.count)
    switch cells.content {
    case .dates(let dates) where areDates:
      for (cell, date) in dates.enumerated() {
        let start = Int64(date.ordinal)
        grades[cell] = grade(of: start..<start + 1, hasMaybe: hasMaybe)
      }
    case .times(let starts, let step) where !areDates:
      for (cell, start) in starts.enumerated() {
        grades[cell] = grade(of: start..<start + step, hasMaybe: hasMaybe)
      }
    // The definition has become another one since the request.
    case .dates, .times: break
    }
    return grades
  }

  private func grade(of cell: Range<Int64>, hasMaybe: Bool) -> Grade? {
    if busy.firstOverlap(with: cell) != nil { return .no }
    if tentative.firstOverlap(with: cell) != nil { return hasMaybe ? .maybe : .no }
    let open = free.firstOverlap(with: cell)
    return open.map { $0.lowerBound <= cell.lowerBound && $0.upperBound >= cell.upperBound } == true
      ? .yes : nil
  }

  /// The number of intervals.
  package var count: Int { free.count + tentative.count + busy.count }

  /// The fields of the stored form, with numbers for times.
  package var members: [JSONTree.Member] {
    func list(_ ranges: [Range<Int64>]) -> JSONTree {
      .array(
        ranges.map { .array([.integer(Int($0.lowerBound)), .integer(Int($0.upperBound))]) })
    }
    return [
      .init("member", .string(member)), .init("dates", .bool(areDates)),
      .init("free", list(free)), .init("tentative", list(tentative)), .init("busy", list(busy)),
    ]
  }

  /// Reads what ``members`` wrote; `nil` for anything else.
  package init?(stored tree: JSONTree) {
    func list(_ name: String) -> [Range<Int64>]? {
      guard let pairs = tree[name]?.array else { return nil }
      var ranges: [Range<Int64>] = []
      for pair in pairs {
        guard let ends = pair.array, ends.count == 2, let from = ends[0].integer,
          let until = ends[1].integer, from <= until
        else { return nil }
        ranges.append(Int64(from)..<Int64(until))
      }
      return ranges
    }
    guard let member = tree["member"]?.string, let areDates = tree["dates"]?.bool,
      let free = list("free"), let tentative = list("tentative"), let busy = list("busy")
    else { return nil }
    self.member = member
    self.areDates = areDates
    (self.free, self.tentative, self.busy) = (free, tentative, busy)
  }
}

extension [Range<Int64>] {
  /// The first of ascending ranges that has something in common with `range`.
  fileprivate func firstOverlap(with range: Range<Int64>) -> Range<Int64>? {
    let index = partitionPoint { $0.upperBound > range.lowerBound }
    guard index < count, self[index].lowerBound < range.upperBound else { return nil }
    return self[index]
  }
}
