package import CivilTime
package import JSONText

extension RowTexts {
  /// A window in words: `Fri, Nov 23, 09:00–10:30`, or `Fri, Nov 23 – Sun, Nov 25`.
  ///
  /// - Parameter zone: The zone of the reader.
  package func window(_ span: WindowSpan, in zone: ZoneRules) -> String {
    switch span {
    case .dates(let dates):
      let first = day(dates.lowerBound)
      return dates.count == 1 ? first : "\(first) – \(day(dates.upperBound))"
    case .time(let start, let until):
      let from = zone.local(at: start)
      // The end of its last minute: what the clock shows at the end itself is of the next day at
      // midnight, and earlier than the start where the clock has been set back.
      let last = zone.local(at: until.adding(minutes: -1))
      let endMinute = last.secondOfDay / 60 + 1
      let begin = "\(day(from.date))\(timeSeparator)\(time(from.secondOfDay / 60))"
      if last.date == from.date { return "\(begin)–\(time(endMinute))" }
      return "\(begin) – \(day(last.date))\(timeSeparator)\(time(endMinute))"
    }
  }

  /// A day of an `availability`: never with a word for today, because its text does not change.
  package func day(_ date: CivilDate) -> String { slotDay(date, isToday: false) }
}

extension JSONWriter {
  /// The result of an `availability`.
  mutating func window(_ result: WindowResult) {
    switch result.span {
    case .dates(let dates):
      literal("{\"start\":", dates.lowerBound.iso)
      literal(",\"end\":\"")
      raw(dates.upperBound.iso)
      literal("\",\"days\":", dates.count)
    case .time(let start, let until):
      literal("{\"local\":\"")
      raw(result.local.date.iso)
      literal("T")
      raw(clockText(result.local.minute))
      literal("\",\"instant\":\"")
      raw(start.rfc3339Seconds)
      literal("\",\"until\":\"")
      raw(until.rfc3339Seconds)
      literal("\"")
    }
    if let counts = result.counts {
      literal(",")
      self.counts(counts)
    }
    literal("}")
  }

  /// `"yes","maybe","no"`, without the braces.
  package mutating func counts(_ counts: GradeCounts) {
    literal("\"yes\":", counts.yes)
    literal(",\"maybe\":", counts.maybe)
    literal(",\"no\":", counts.no)
  }
}

extension ClosedRange<CivilDate> {
  /// The number of dates.
  fileprivate var count: Int { upperBound.days(since: lowerBound) + 1 }
}

/// The stored form of marks:
/// `{"generation","step"?,"cells":[[start,count],…],"marks":{ID:[[from,until,"yes"]]},
/// "byHand"?:{ID:[[from,until]]},"chosen"?}`. Cells are runs: dates by their ordinals, times by
/// seconds since 1970, with their length.
extension StoredMarks {
  var tree: JSONTree {
    var fields: [JSONTree.Member] = [
      .init("generation", .integer(generation)), .init("cells", cells.runTree),
      .init(
        "marks",
        .object(
          marks.sorted { $0.key < $1.key }.map {
            .init($0.key, .array($0.value.runs.map(\.tree)))
          })),
    ]
    if let step = cells.stepSeconds { fields.append(.init("step", .integer(Int(step)))) }
    if !byHand.isEmpty {
      let sets = byHand.sorted { $0.key < $1.key }.map { id, set in
        JSONTree.Member(
          id,
          .array(set.runs.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) }))
      }
      fields.append(.init("byHand", .object(sets)))
    }
    if let chosen { fields.append(.init("chosen", .integer(chosen))) }
    return .object(fields)
  }

  /// Reads what ``tree`` wrote; `nil` for anything else.
  init?(tree: JSONTree) {
    guard let generation = tree["generation"]?.integer, generation >= 1,
      let members = tree["marks"]?.members,
      let cells = CellList(runs: tree["cells"], step: tree["step"]?.integer)
    else { return nil }
    var marks: [String: Marks] = [:]
    for member in members {
      guard let runs = member.value.array, !runs.isEmpty else { return nil }
      let read = runs.compactMap(MarkRun.init(tree:))
      guard read.count == runs.count else { return nil }
      for index in read.indices.dropFirst()
      where read[index].cells.lowerBound < read[index - 1].cells.upperBound {
        return nil
      }
      marks[member.key] = Marks(read)
    }
    var byHand: [String: CellSet] = [:]
    for member in tree["byHand"]?.members ?? [] {
      var set = CellSet()
      for run in member.value.array ?? [] {
        guard let ends = run.array, ends.count == 2, let from = ends[0].integer,
          let until = ends[1].integer, from >= 0, from < until, until <= cells.count
        else { return nil }
        set.insert(from..<until)
      }
      byHand[member.key] = set
    }
    self.init(
      generation: generation, cells: cells, marks: marks, byHand: byHand,
      chosen: tree["chosen"]?.integer)
    guard areMarksOfCells else { return nil }
  }

  private var areMarksOfCells: Bool {
    marks.values.allSatisfy { $0.runs.last.map { $0.cells.upperBound <= cells.count } ?? false }
      && chosen.map { $0 >= 0 && $0 < cells.count } ?? true
  }
}

extension MarkRun {
  fileprivate var tree: JSONTree {
    .array([
      .integer(cells.lowerBound), .integer(cells.upperBound),
      grade.map { .string("\($0.name)") } ?? .null,
    ])
  }

  fileprivate init?(tree: JSONTree) {
    guard let fields = tree.array, fields.count == 3, let from = fields[0].integer,
      let until = fields[1].integer, from >= 0, from < until, until <= Int(Int32.max),
      let grade = fields[2].string.flatMap(Grade.init(name:))
    else { return nil }
    self.init(from..<until, grade)
  }
}

extension Definition {
  /// Whether a stored state is of this `availability`.
  func fitMarks(_ marks: StoredMarks?, within bounds: PickerBounds) -> Bool {
    guard case .availability(let kind) = rules else { return false }
    return kind.dates.fit(bounds) && marks != nil
  }
}

extension CellList {
  fileprivate var stepSeconds: Int64? {
    if case .times(_, let step) = content { step } else { nil }
  }

  /// `[[start, count], …]`, each a run of cells of which each begins where the one before ends.
  fileprivate var runTree: JSONTree {
    let starts: [Int] =
      switch content {
      case .dates(let dates): dates.map(\.ordinal)
      case .times(let starts, stepSeconds: _): starts.map { Int($0) }
      }
    var runs: [JSONTree] = []
    var first = 0
    for cell in starts.indices where !isFollowed(cell) {
      runs.append(.array([.integer(starts[first]), .integer(cell + 1 - first)]))
      first = cell + 1
    }
    return .array(runs)
  }

  fileprivate convenience init?(runs: JSONTree?, step: Int?) {
    guard let runs = runs?.array, step.map({ (1...86_400).contains($0) }) ?? true else {
      return nil
    }
    var starts: [Int] = []
    for run in runs {
      guard let pair = run.array, pair.count == 2, let first = pair[0].integer,
        let count = pair[1].integer, (1...DefinitionLimits().cellsMax).contains(count),
        abs(first) <= 1 << 40, starts.last.map({ $0 < first }) ?? true
      else { return nil }
      starts += (0..<count).map { first + $0 * (step ?? 1) }
    }
    if let step {
      self.init(starts: starts.map { Int64($0) }, stepSeconds: Int64(step))
    } else {
      let dates = starts.compactMap(CivilDate.init(checkedOrdinal:))
      guard dates.count == starts.count else { return nil }
      self.init(dates: dates)
    }
  }
}
