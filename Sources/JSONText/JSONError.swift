/// A syntax error in a JSON text, or a limit that it exceeds.
package struct JSONError: Error, Hashable, Sendable {
  /// The offset of the first invalid byte, from 0.
  package let offset: Int
  /// The error as a phrase: `the string is not terminated`.
  package let reason: String
  /// The names and indexes that lead from the root to the value that exceeds a limit; `nil` for a
  /// syntax error.
  package private(set) var place: [String]?

  package init(offset: Int, reason: String, place: [String]? = nil) {
    self.offset = offset
    self.reason = reason
    self.place = place
  }

  /// The error as a sentence about a body.
  package var bodyProblem: String {
    let problem = place == nil ? "is not JSON" : "exceeds a limit"
    return "the body \(problem): \(reason), at byte \(offset)"
  }

  /// The error, seen from the array or object that has the value under `name`.
  func under(_ name: String) -> JSONError {
    guard let place else { return self }
    return JSONError(offset: offset, reason: reason, place: [name] + place)
  }
}
