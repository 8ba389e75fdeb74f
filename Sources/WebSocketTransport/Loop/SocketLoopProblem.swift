/// The reason why a loop cannot start or listen, as a sentence for the operator.
package struct SocketLoopProblem: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

/// The buffer into which C writes an error description.
struct ProblemBuffer: ~Copyable {
  static let capacity = 300
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: ProblemBuffer.capacity)

  init() { text.pointee = 0 }
  deinit { text.deallocate() }

  func thrown() -> SocketLoopProblem { SocketLoopProblem(description: String(cString: text)) }
}
