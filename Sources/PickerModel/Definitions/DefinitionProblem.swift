/// Why a definition is invalid: its first problem.
package struct DefinitionProblem: Error, Hashable, Sendable {
  /// A JSON Pointer from the definition's root to the value; empty for the whole definition.
  ///
  /// - Source: RFC 6901.
  package private(set) var pointer: String
  /// What is wrong, and what would be right.
  package let detail: String

  package init(pointer: String, detail: String) {
    self.pointer = pointer
    self.detail = detail
  }

  /// A problem with an empty pointer. The callers on the way to the root extend the pointer with
  /// ``under(_:)``.
  init(_ detail: String) { self.init(pointer: "", detail: detail) }

  /// The problem with `name` in front of its pointer: seen from the object that has the value as
  /// this member.
  func under(_ name: String) -> DefinitionProblem {
    var escaped = "/"
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return DefinitionProblem(pointer: escaped + pointer, detail: detail)
  }

  /// The problem with `index` in front of its pointer: seen from the array that has the value as
  /// this element.
  func under(_ index: Int) -> DefinitionProblem {
    DefinitionProblem(pointer: "/\(index)\(pointer)", detail: detail)
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
  /// Unicode scalars of a text, a key or a language tag.
  package var textCharactersMax = 200
  /// Entries of `hours`, and windows of one date.
  package var windowsMax = 50
  /// Entries of `dates`.
  package var datesMax = 1_000
  /// Entries of `taken`.
  package var takenMax = 5_000
  /// Unicode scalars of an id in `taken`.
  package var idCharactersMax = 64

  package init() {}
}
