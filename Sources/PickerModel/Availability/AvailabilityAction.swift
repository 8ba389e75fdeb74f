import JSONText

/// What a member, or the host for it, does to an `availability`.
package enum AvailabilityAction: Hashable, Sendable {
  /// Marks cells, or removes marks.
  case mark(CellMark)
  /// Marks cells of a member as its calendar says. Of the host.
  case importMarks(MarkImport)

  var type: String {
    switch self {
    case .mark: "mark"
    case .importMarks: "import"
    }
  }

  var isHosts: Bool {
    switch self {
    case .mark: false
    case .importMarks: true
    }
  }

  /// See ``PickerAction/subject``.
  var subject: MemberID? {
    switch self {
    case .mark: nil
    case .importMarks(let marks): MemberID(marks.member)
    }
  }

  var byteCount: Int {
    switch self {
    case .mark(let mark): 16 * mark.cells.count
    case .importMarks(let marks): 32 * marks.count
    }
  }
}

extension AvailabilityAction {
  /// See ``PickerAction/init(ofHost:_:)``.
  init?(ofHost type: String, _ tree: JSONTree) {
    guard type == "import", let marks = MarkImport(stored: tree) else { return nil }
    self = .importMarks(marks)
  }
}

extension PickerAction {
  package static func mark(_ mark: CellMark) -> PickerAction { .availability(.mark(mark)) }

  package static func importMarks(_ marks: MarkImport) -> PickerAction {
    .availability(.importMarks(marks))
  }
}

/// What a member marks.
package struct CellMark: Hashable, Sendable {
  /// As sent, such as `yes`; `nil` to remove marks.
  package let grade: String?
  /// Ascending, without overlaps.
  package let cells: [Range<Int>]
  package let generation: Int

  package init(grade: String?, cells: [Range<Int>], generation: Int) {
    self.grade = grade
    self.cells = cells
    self.generation = generation
  }
}

extension CellMark {
  /// The maximum of runs in one mark.
  private static let runsMax = 64

  init(_ fields: inout MessageFields, _ text: Span<UInt8>) throws(BadMessage) {
    guard let value = fields[.grade] else {
      throw BadMessage("grade is missing: it must be a string or null", pointer: "/grade")
    }
    let grade = value == .null ? nil : try fields.string(.grade, text)
    self.init(
      grade: grade?.prefix(utf8Count: MessageFields.typeBytesMax),
      cells: try CellMark.cells(&fields, text), generation: try fields.integer(.generation))
  }

  /// The half-open runs of cells.
  private static func cells(
    _ fields: inout MessageFields, _ text: Span<UInt8>
  ) throws(BadMessage) -> [Range<Int>] {
    guard case .tree(let offset) = fields[.cells] else {
      throw fields.missing(.cells, "an array of runs")
    }
    // An array of so many runs, with two integers each, has fewer values.
    var cursor = JSONCursor(at: offset, valuesMax: 4 * CellMark.runsMax)
    guard let runs = try? cursor.readTree(text).array,
      (1...CellMark.runsMax).contains(runs.count)
    else {
      throw BadMessage("cells must have 1 to \(CellMark.runsMax) runs", pointer: "/cells")
    }
    var cells: [Range<Int>] = []
    for (index, run) in runs.enumerated() {
      guard let pair = run.array, pair.count == 2, let from = pair[0].integer,
        let until = pair[1].integer, from < until, cells.last.map({ $0.upperBound <= from }) ?? true
      else {
        throw BadMessage(
          "a run must be two integers, the first cell and the one after the last, and runs must "
            + "ascend", pointer: "/cells/\(index)")
      }
      cells.append(from..<until)
    }
    return cells
  }
}

extension JSONWriter {
  /// The fields of an action, each after a comma.
  ///
  /// - Parameter seesAll: Whether the reader may see a member's calendar.
  mutating func availabilityAction(_ action: AvailabilityAction, seesAll: Bool) {
    switch action {
    case .mark(let mark): self.mark(mark)
    case .importMarks(let marks):
      for member in seesAll ? marks.members : [] {
        literal(",")
        string(member.key)
        literal(":", member.value)
      }
    }
  }

  private mutating func mark(_ mark: CellMark) {
    literal(",\"grade\":")
    if let grade = mark.grade { string(grade) } else { literal("null") }
    literal(",\"cells\":[")
    for (index, run) in mark.cells.enumerated() {
      literal(index > 0 ? ",[" : "[")
      integer(run.lowerBound)
      literal(",")
      integer(run.upperBound)
      literal("]")
    }
    literal("],\"generation\":", mark.generation)
  }
}

extension AvailabilityAction {
  /// See ``PickerAction/words``.
  var words: String {
    switch self {
    case .mark(let mark):
      "mark \(counted(mark.cells.reduce(0) { $0 + $1.count }, "cell")) "
        + (mark.grade.map { "“\($0.prefix(40))”" } ?? "with nothing")
    case .importMarks(let marks):
      "mark for \(marks.member) as \(counted(marks.count, "interval")) of a calendar say"
    }
  }
}
