/// The reason why a store cannot be used: what is wrong and what to do, as sentences.
package struct StoreProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
