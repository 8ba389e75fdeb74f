/// The reason why a store cannot be used: what is wrong and what to do, as sentences.
package struct StoreProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// Whether another process has the store's lock.
  package let isLocked: Bool

  package init(_ description: String, isLocked: Bool = false) {
    self.description = description
    self.isLocked = isLocked
  }
}
