import CivilTime
import JSONText

/// Reads the members of one object of a definition and remembers the first problem in document
/// order.
///
/// Fields are asked for in any order; each answers `nil` when it is ill and its problem is noted.
struct DefinitionReader {
  let members: [JSONTree.Member]
  let limits: DefinitionLimits
  /// Today, if the definition is read for a moment; `nil` leaves what depends on it to that moment.
  let today: CivilDate?
  private var first: (place: Int, problem: DefinitionProblem)?

  init(_ members: [JSONTree.Member], limits: DefinitionLimits, today: CivilDate?) {
    self.members = members
    self.limits = limits
    self.today = today
  }

  /// A reader for an object inside this one.
  func reader(for members: [JSONTree.Member]) -> DefinitionReader {
    DefinitionReader(members, limits: limits, today: today)
  }

  func has(_ field: String) -> Bool { place(of: field) < members.count }

  /// The field's place in the document; a missing one would come after all others.
  private func place(of field: String) -> Int {
    members.firstIndex { $0.key.isExactly(field) } ?? members.count
  }

  /// Notes a problem of `field`, unless an earlier one is known.
  mutating func report(_ field: String, _ problem: DefinitionProblem) {
    report(problem.under(field), place: place(of: field))
  }

  mutating func report(_ field: String, _ detail: String) {
    report(field, DefinitionProblem(detail))
  }

  /// Notes a problem whose pointer begins at this object.
  mutating func report(_ problem: DefinitionProblem) {
    let field = problem.pointer.dropFirst().prefix { $0 != "/" }
    report(problem, place: place(of: String(field)))
  }

  private mutating func report(_ problem: DefinitionProblem, place: Int) {
    if let first, first.place <= place { return }
    first = (place, problem)
  }

  /// - Throws: The first problem that was noted.
  func finish() throws(DefinitionProblem) {
    if let first { throw first.problem }
  }

  /// The field as it stands; `nil` if it is missing.
  func tree(_ field: String) -> JSONTree? {
    let place = place(of: field)
    return place < members.count ? members[place].value : nil
  }

  /// Reads a field with `read`, or answers `missing` without it.
  mutating func field<Value>(
    _ field: String, missing: Value?,
    _ read: (JSONTree) throws(DefinitionProblem) -> Value
  ) -> Value? {
    guard let tree = tree(field) else {
      if missing == nil { report(field, "\(field) is missing") }
      return missing
    }
    do throws(DefinitionProblem) {
      return try read(tree)
    } catch {
      report(field, error)
      return nil
    }
  }

  mutating func integer(_ field: String, _ range: ClosedRange<Int>, missing: Int?) -> Int? {
    self.field(field, missing: missing) { tree throws(DefinitionProblem) in
      try tree.integer(in: range, named: field)
    }
  }

  mutating func bool(_ field: String, missing: Bool?) -> Bool? {
    self.field(field, missing: missing) { tree throws(DefinitionProblem) in
      if case .bool(let value) = tree { return value }
      throw DefinitionProblem("\(field) is \(tree.noun); it must be true or false")
    }
  }

  /// Reads one of the words of an enum.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ field: String, missing: Word?
  ) -> Word? {
    self.field(field, missing: missing) { tree throws(DefinitionProblem) in
      if case .string(let text) = tree, let word = Word(rawValue: text) { return word }
      let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
      throw DefinitionProblem("\(field) is \(tree.noun); it must be \(words)")
    }
  }
}

extension JSONTree {
  /// What this is, for people: `the string "7"`, `null`.
  var noun: String {
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .integer(let value): return "\(value)"
    case .number(let value): return "\(value)"
    case .string(let text):
      let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(40)))
      return start == text ? "the string \"\(text)\"" : "the string \"\(start)…\""
    case .array: return "an array"
    case .object: return "an object"
    }
  }

  func integer(in range: ClosedRange<Int>, named name: String) throws(DefinitionProblem) -> Int {
    if case .integer(let value) = self, range.contains(value) { return value }
    let allowed =
      range.upperBound == .max
      ? "of \(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
    throw DefinitionProblem("\(name) is \(noun); it must be an integer \(allowed)")
  }

  func text(named name: String, _ limits: DefinitionLimits) throws(DefinitionProblem) -> String {
    guard case .string(let text) = self else {
      throw DefinitionProblem("\(name) is \(noun); it must be a string")
    }
    let maximum = limits.textCharactersMax
    guard !text.isEmpty, text.unicodeScalars.prefix(maximum + 1).count <= maximum else {
      throw DefinitionProblem("\(name) must have 1 to \(maximum) characters")
    }
    return text
  }

  func elements(named name: String) throws(DefinitionProblem) -> [JSONTree] {
    if case .array(let elements) = self { return elements }
    throw DefinitionProblem("\(name) is \(noun); it must be an array")
  }

  func fields(named name: String) throws(DefinitionProblem) -> [JSONTree.Member] {
    if case .object(let members) = self { return members }
    throw DefinitionProblem("\(name) is \(noun); it must be an object")
  }
}
