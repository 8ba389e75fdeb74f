/// The reason why a key file or the configuration of `pickerd deliver` cannot be used, as a
/// sentence.
package struct KeyFileProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Begins with the path and the position (`keys.yaml:4:11: `), as far as the problem has them.
  package let description: String
  private let hasPosition: Bool

  package init(_ description: String) {
    self.description = description
    hasPosition = false
  }

  init(_ detail: String, at position: TextPosition) {
    description = "\(position): \(detail)"
    hasPosition = true
  }

  func of(_ path: String) -> KeyFileProblem {
    KeyFileProblem(path + (hasPosition ? ":" : ": ") + description)
  }
}
