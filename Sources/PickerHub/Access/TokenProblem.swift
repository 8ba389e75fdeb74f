/// Why a token is not accepted, as a sentence for the host's developers.
package struct TokenProblem: Error, Hashable, Sendable {
  package let detail: String
  /// Whether only the time of the token has passed, so that its user needs a new one.
  package let isExpired: Bool

  package init(_ detail: String, isExpired: Bool = false) {
    self.detail = detail
    self.isExpired = isExpired
  }

  var closeCode: CloseCode { isExpired ? .tokenExpired : .badToken }
}
