/// The first thing that is wrong with a definition.
package struct DefinitionProblem: Error, Hashable, Sendable {
  /// Where, as a JSON Pointer from the definition's root; empty for the whole.
  ///
  /// - Source: RFC 6901.
  package private(set) var pointer: String
  /// What is wrong, and what would be right.
  package let detail: String

  package init(pointer: String, detail: String) {
    self.pointer = pointer
    self.detail = detail
  }

  /// A problem of the value at hand; whoever read it says where it stands, see ``under(_:)``.
  init(_ detail: String) { self.init(pointer: "", detail: detail) }

  /// The problem as seen from the object that has this value as the member `name`.
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

  /// The problem as seen from the array that has this value as element `index`.
  func under(_ index: Int) -> DefinitionProblem {
    DefinitionProblem(pointer: "/\(index)\(pointer)", detail: detail)
  }
}

/// The maxima of a definition; each is allowed, one more is not.
///
/// - Source: rules.md, "Limits of a definition".
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
  /// Dates with windows of their own.
  package var datesMax = 1_000
  package var takenMax = 5_000
  /// Unicode scalars of an id in `taken`.
  package var idCharactersMax = 64

  package init() {}
}
