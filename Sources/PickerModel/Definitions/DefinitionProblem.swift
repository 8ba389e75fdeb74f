package import JSONText

/// Why a definition is invalid: its first problem.
package struct DefinitionProblem: Error, Hashable, Sendable {
  /// A JSON Pointer from the definition's root to the value; empty for the whole definition.
  ///
  /// - Source: RFC 6901.
  package private(set) var pointer: String
  /// What is wrong, and what would be right.
  package let detail: String
  /// Why the first value cannot be selected; `nil` for a problem of the definition itself.
  package private(set) var refusal: Refusal?

  package init(pointer: String, detail: String) {
    self.pointer = pointer
    self.detail = detail
  }

  /// The problem of a first value that a picker refuses.
  init(ofResult refusal: Refusal) {
    self.init(pointer: "/result", detail: refusal.detail)
    self.refusal = refusal
  }

  /// A problem with an empty pointer. The callers on the way to the root extend the pointer with
  /// ``under(_:)``.
  init(_ detail: String) { self.init(pointer: "", detail: detail) }

  /// The problem with `name` in front of its pointer: seen from the object that has the value as
  /// this member.
  func under(_ name: String) -> DefinitionProblem {
    DefinitionProblem(pointer: JSONPointer.reference(to: name) + pointer, detail: detail)
  }

  /// The problem with `index` in front of its pointer: seen from the array that has the value as
  /// this element.
  func under(_ index: Int) -> DefinitionProblem {
    DefinitionProblem(pointer: "/\(index)\(pointer)", detail: detail)
  }
}

/// Runs `read`. A problem that it throws is one of the member `name`.
func under<Value>(
  _ name: String, _ read: () throws(DefinitionProblem) -> Value
) throws(DefinitionProblem) -> Value {
  do throws(DefinitionProblem) {
    return try read()
  } catch {
    throw error.under(name)
  }
}

extension [JSONTree] {
  /// What `read` returns for each element. A problem that it throws is one of the element.
  func read<Value>(
    _ read: (JSONTree) throws(DefinitionProblem) -> Value
  ) throws(DefinitionProblem) -> [Value] {
    try enumerated().map { index, element throws(DefinitionProblem) in
      do throws(DefinitionProblem) {
        return try read(element)
      } catch {
        throw error.under(index)
      }
    }
  }
}

extension [JSONTree.Member] {
  /// What `read` returns for each member. A problem that it throws is one of the member.
  func read<Value>(
    _ read: (JSONTree.Member) throws(DefinitionProblem) -> Value
  ) throws(DefinitionProblem) -> [Value] {
    try map { member throws(DefinitionProblem) in
      try under(member.key) { () throws(DefinitionProblem) in try read(member) }
    }
  }
}

extension DefinitionProblem {
  /// The problem of a definition that exceeds a limit of the parser.
  ///
  /// - Parameters:
  ///   - error: The parser's error.
  ///   - path: The names that lead from the root of the text to the definition.
  /// - Returns: `nil` for a syntax error, for a value that is not in the definition, and for one in
  ///   an array in its place.
  package init?(_ error: JSONError, in path: [String]) {
    guard let place = error.place, place.starts(with: path) else { return nil }
    let names = Array(place.dropFirst(path.count))
    if let member = names.first, Int(member) != nil { return nil }
    // `nodes`, an index, and the name and index of each further level.
    let levelsMax = DefinitionLimits().levelsMax
    let tooDeep = names.prefix(2 * (levelsMax + 1))
    guard tooDeep.count < names.count else {
      self = DefinitionProblem(error.reason).under(names[...])
      return
    }
    let isTree = tooDeep.indices.allSatisfy { index in
      index % 2 == 1 || names[index] == (index == 0 ? "nodes" : "children")
    }
    self =
      isTree
      ? DefinitionProblem("the tree is deeper than \(levelsMax) levels").under(tooDeep)
      : DefinitionProblem(error.reason).under(names.prefix(1))
  }

  private func under(_ names: ArraySlice<String>) -> DefinitionProblem {
    names.reversed().reduce(self) { $0.under($1) }
  }
}

/// The maxima of a definition, inclusive.
///
/// - Source: web/guide/definitions.md.
package struct DefinitionLimits: Hashable, Sendable {
  /// Days of a slot picker.
  package var daysMax = 366
  package var leadMinutesMax = 525_600
  /// Nodes of a tree, or rows of all columns together.
  package var nodesMax = 20_000
  package var columnsMax = 32
  /// Levels of a tree.
  package var levelsMax = 32
  /// Months of a calendar's list.
  package var monthsMax = 12_000
  /// Entries of `blocked`.
  package var blockedMax = 1_000
  /// Entries of `stays`.
  package var staysMax = 400
  /// Unicode scalars of a text, a key or a language tag.
  package var textCharactersMax = 200
  /// Terms of a row.
  package var termsMax = 8
  /// Unicode scalars of a term.
  package var termCharactersMax = 64
  /// Entries of `hours`, and windows of one date.
  package var windowsMax = 50
  /// Entries of `dates`.
  package var datesMax = 1_000
  /// Entries of `taken`.
  package var takenMax = 5_000
  /// Unicode scalars of an id in `taken`.
  package var idCharactersMax = 64
  /// Dates with cells.
  package var cellDatesMax = 366
  /// Cells that members can mark.
  package var cellsMax = 4_032

  package init() {}
}
