import PickerHub
import PickerSession
import WebSocketTransport

/// A row of the route table: a method, a path pattern, a rate limit and a handler.
struct Route: Sendable {
  /// A method of ``HubRoutes``, not yet bound to the routes of a loop. It runs on its thread,
  /// and returns the answer; `nil` if it has answered itself, with a stream.
  typealias Handler =
    @Sendable (HubRoutes) -> (RoutedRequest) async throws(ProblemDocument) -> HTTPResponse?

  /// `GET` also matches `HEAD`.
  let method: HTTPMethod
  let pattern: PathPattern
  let access: RouteAccess
  /// The rate limit that a request counts against; `nil` if it is not limited.
  let rate: RequestKind?
  /// The rate limit that a request counts against instead if its body has more than
  /// ``RequestRates/bytesPerToken``.
  let largeBodyRate: RequestKind?
  /// The parameters that the query may have.
  let query: [String]
  let handle: Handler

  init(
    _ method: HTTPMethod, _ pattern: PathPattern, _ access: RouteAccess, rate: RequestKind? = nil,
    largeBodyRate: RequestKind? = nil, query: [String] = [], _ handle: @escaping Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.access = access
    self.rate = rate
    self.largeBodyRate = largeBodyRate
    self.query = query
    self.handle = handle
  }

  /// The rate limit that a request with a body of that size counts against.
  func rate(bodyByteCount: Int) -> RequestKind? {
    bodyByteCount > RequestRates.bytesPerToken ? largeBodyRate ?? rate : rate
  }

  /// Checks that a query has only parameters that the route knows, if the route is below `/v1/`.
  func check(_ query: [QueryField]) throws(ProblemDocument) {
    guard pattern.text.hasPrefix("/v1/"),
      let field = query.first(where: { !self.query.contains($0.name) })
    else { return }
    throw .unknownParameter(field.name, known: self.query)
  }

  func accepts(_ method: HTTPMethod) -> Bool {
    method == self.method || (method == .head && self.method == .get)
  }
}

/// A request with the variables of the pattern that it matched.
struct RoutedRequest {
  let caller: Caller
  let request: HTTPRequest
  let variables: [String: String]
  /// What the request proves about its sender, as the route's ``Route/access`` requires.
  let credential: Credential?

  /// The session that the path names, whether or not it exists.
  var session: SessionID { SessionID(self["id"]) }

  /// The locale of the texts: that of the query, otherwise that of the member's token.
  var locale: String? { request.queryValue("locale") ?? credential?.locale }

  /// The text of a variable of the route's pattern; crashes if the pattern does not have it.
  subscript(name: String) -> String {
    guard let text = variables[name] else {
      preconditionFailure("the route's pattern has no variable \(name)")
    }
    return text
  }
}

/// The path of a route, spelled as in the OpenAPI document: `/v1/sessions/{id}/months/{month}.svg`.
struct PathPattern: Hashable, Sendable, ExpressibleByStringLiteral {
  private enum Segment: Hashable {
    case literal(String)
    /// Matches any text that ends with `suffix`; the part before it may be empty.
    case variable(name: String, suffix: String)
  }

  let text: String
  private let segments: [Segment]

  init(stringLiteral text: String) {
    self.text = text
    segments = text.split(separator: "/").map { segment in
      guard segment.hasPrefix("{"), let end = segment.firstIndex(of: "}") else {
        return .literal(String(segment))
      }
      return .variable(
        name: String(segment[..<end].dropFirst()),
        suffix: String(segment[segment.index(after: end)...]))
    }
  }

  /// - Returns: The texts of the pattern's variables; `nil` if a path with these segments does not
  ///   match.
  func match(_ path: [String]) -> [String: String]? {
    guard let path = joined(path) else { return nil }
    var variables: [String: String] = [:]
    for (segment, text) in zip(segments, path) {
      switch segment {
      case .literal(let literal): guard text == literal else { return nil }
      case .variable(let name, let suffix):
        guard text.hasSuffix(suffix) else { return nil }
        variables[name] = String(text.dropLast(suffix.count))
      }
    }
    return variables
  }

  /// The segments of a path as this pattern has them; `nil` if there are too few or too many. An
  /// external id at the end may contain slashes.
  private func joined(_ path: [String]) -> [String]? {
    if path.count == segments.count { return path }
    guard path.count > segments.count,
      segments.last == .variable(name: "external", suffix: "")
    else { return nil }
    let rest = path[(segments.count - 1)...].joined(separator: "/")
    return Array(path.prefix(segments.count - 1)) + [rest]
  }
}
