/// Thrown for a message or request body that violates the protocol. On a WebSocket it closes the
/// connection with 4400.
package struct BadMessage: Error, Hashable, Sendable {
  /// One sentence for developers: what was wrong, where, and what would be right.
  package let detail: String
  /// Of a value in a body (RFC 6901), if the problem is that of one value.
  package let pointer: String?
  /// Whether the problem is one of the definition in a body.
  package let isOfDefinition: Bool

  package init(_ detail: String, pointer: String? = nil) {
    self.detail = detail
    self.pointer = pointer
    isOfDefinition = false
  }

  package init(_ problem: DefinitionProblem) {
    detail = problem.detail
    pointer = problem.pointer
    isOfDefinition = true
  }
}
