import CivilTime
import JSONText

/// Reads the members of one object of a definition and records the first problem in document order.
///
/// Read the fields in any order, then call ``finish()``. Reading an invalid field returns `nil` and
/// records its problem; ``finish()`` throws the recorded problem that comes first in the document.
/// If it does not throw, all fields that were read are valid and can be unwrapped.
struct DefinitionReader {
  let members: [JSONTree.Member]
  let limits: DefinitionLimits
  /// The day on which relative dates are checked; `nil` to skip these checks.
  let today: CivilDate?
  private var first: (index: Int, problem: DefinitionProblem)?

  init(_ members: [JSONTree.Member], limits: DefinitionLimits, today: CivilDate?) {
    self.members = members
    self.limits = limits
    self.today = today
  }

  /// Reads an object inside this one, with the same limits and day.
  ///
  /// - Parameter read: Reports the problems of its fields. Returns `nil` only if there is one.
  func object<Value>(
    _ tree: JSONTree, named name: String, _ read: (inout DefinitionReader) -> Value?
  ) throws(DefinitionProblem) -> Value {
    var inner = DefinitionReader(try tree.fields(named: name), limits: limits, today: today)
    let value = read(&inner)
    try inner.finish()
    return value!
  }

  func has(_ field: String) -> Bool { index(of: field) < members.count }

  /// The field's index in the document; for a missing field, an index after all others.
  private func index(of field: String) -> Int {
    members.firstIndex { $0.key.isExactly(field) } ?? members.count
  }

  /// Records a problem of `field`, unless an earlier field has one.
  mutating func report(_ field: String, _ problem: DefinitionProblem) {
    report(problem.under(field), index: index(of: field))
  }

  mutating func report(_ field: String, _ detail: String) {
    report(field, DefinitionProblem(detail))
  }

  /// Records a problem whose pointer already begins with the field's name.
  mutating func report(_ problem: DefinitionProblem) {
    let field = problem.pointer.dropFirst().prefix { $0 != "/" }
    report(problem, index: index(of: String(field)))
  }

  private mutating func report(_ problem: DefinitionProblem, index: Int) {
    if let first, first.index <= index { return }
    first = (index, problem)
  }

  /// Throws the recorded problem, if there is one.
  func finish() throws(DefinitionProblem) {
    if let first { throw first.problem }
  }

  /// The field's JSON value; `nil` if the field is missing.
  func tree(_ field: String) -> JSONTree? {
    let index = index(of: field)
    return index < members.count ? members[index].value : nil
  }

  /// Reads a field with `read`.
  ///
  /// - Parameters:
  ///   - missing: The default for a missing field; `nil` if the field is required.
  ///   - read: Throws a problem whose pointer begins at the field's value.
  /// - Returns: `nil` if the field is invalid, or required and missing.
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

  /// Reads a string that must be a raw value of `Word`.
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
  /// The value as error details name it: `the string "7"`, `null`, `an array`. Long strings are
  /// cut.
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
    try text(named: name, countMax: limits.textCharactersMax)
  }

  /// - Parameter countMax: The maximum of Unicode scalars.
  func text(named name: String, countMax maximum: Int) throws(DefinitionProblem) -> String {
    guard case .string(let text) = self else {
      throw DefinitionProblem("\(name) is \(noun); it must be a string")
    }
    // A text never has more characters than bytes, which need not be counted.
    guard !text.isEmpty,
      text.utf8.count <= maximum || text.unicodeScalars.prefix(maximum + 1).count <= maximum
    else {
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
