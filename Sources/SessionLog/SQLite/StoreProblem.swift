/// Why a store cannot be used: a sentence that says what is wrong and what to do.
package struct StoreProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
