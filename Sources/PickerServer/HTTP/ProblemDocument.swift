import JSONText
import PickerHub
import PickerModel
import WebSocketTransport

/// The error response of a request: a `code` for programs and a `detail` for their developers.
///
/// - Source: RFC 9457; web/guide/README.md, "HTTP API and server-sent events".
package struct ProblemDocument: Error, Hashable, Sendable {
  /// The media type of ``bytes``.
  package static let contentType = "application/problem+json"

  /// The HTTP status, 400…599.
  package let status: Int
  /// Identifies the problem for programs, such as `badDefinition`.
  package let code: String
  /// One sentence: what is wrong, where, and what a valid request looks like.
  package let detail: String
  /// The location of the error in the definition (RFC 6901); empty for the root.
  package let pointer: String?

  /// With 405: the allowed methods, for the `Allow` header.
  package let allow: [String]
  /// With 429 and 503: the value of the `Retry-After` header. Default: 5.
  package let retryAfterSeconds: Int?
  /// Facts of the code for programs.
  let members: [JSONTree.Member]

  package init(
    status: Int, code: String, detail: String, pointer: String? = nil, allow: [String] = [],
    retryAfterSeconds: Int? = nil
  ) {
    self.init(
      status: status, code: code, detail: detail, pointer: pointer, allow: allow,
      retryAfterSeconds: retryAfterSeconds, members: [])
  }

  init(
    status: Int, code: String, detail: String, pointer: String? = nil, allow: [String] = [],
    retryAfterSeconds: Int? = nil, members: [JSONTree.Member]
  ) {
    precondition((400...599).contains(status), "the status must be an error status")
    self.status = status
    self.code = code
    self.detail = detail
    self.pointer = pointer
    self.allow = allow
    self.retryAfterSeconds = retryAfterSeconds
    self.members = members
  }

  /// The JSON document. `type` is `about:blank`, so `title` is the reason phrase of the status
  /// (RFC 9457, section 4.2.1), and clients distinguish problems by `code`.
  package var bytes: [UInt8] {
    var fields: [JSONTree.Member] = [
      .init("type", .string("about:blank")),
      .init("title", .string(HTTPResponse.reasonPhrase(of: status))),
      .init("status", .integer(status)),
      .init("code", .string(code)),
      .init("detail", .string(detail)),
    ]
    if let pointer { fields.append(.init("pointer", .string(pointer))) }
    return JSONTree.object(fields + members).serialized()
  }
}

extension ProblemDocument {
  static func badRequest(_ detail: String, at pointer: String? = nil) -> ProblemDocument {
    ProblemDocument(status: 400, code: "badRequest", detail: detail, pointer: pointer)
  }

  /// - Parameter known: The parameters that the query may have.
  static func unknownParameter(_ name: String, known: [String]) -> ProblemDocument {
    let name = String(name.prefix(100))
    return ProblemDocument(
      status: 400, code: "badRequest",
      detail: "the query parameter \(name.quoted) is unknown; "
        + (known.isEmpty
          ? "this request has none" : "the parameters are \(known.joined(separator: ", "))"),
      members: [.init("parameter", .string(name))])
  }
}

extension ProblemDocument {
  /// Maps a problem of the hub to a status, code and detail.
  /// - Source: web/guide/README.md, "HTTP API and server-sent events".
  init(_ problem: HubProblem) {
    switch problem {
    case .badRequest(let detail): self.init(status: 400, code: "badRequest", detail: detail)
    case .badDefinition(let problem): self.init(problem, status: 422, code: "badDefinition")
    case .badBody(let problem): self.init(problem, status: 400, code: "badRequest")
    case .refused(let refusal): self.init(refusal)
    case .noToken:
      self.init(
        status: 401, code: "noToken",
        detail: "this session requires a token in the header Authorization: Bearer TOKEN")
    case .badToken:
      self.init(status: 401, code: "badToken", detail: "invalid token for this session")
    case .notAllowed(let detail): self.init(status: 403, code: "notAllowed", detail: detail)
    case .noSuchSession:
      self.init(
        status: 404, code: "noSuchSession",
        detail: "session not found; it may have expired or been deleted")
    case .noSuchDefinition: self = .noSuchDefinition
    case .inUse: self = .inUse
    case .noSuchMember: self = .noSuchMember
    case .wrongSecret:
      self.init(status: 401, code: "badToken", detail: "invalid secret for this member")
    case .wrongKind(let detail): self.init(status: 404, code: "wrongKind", detail: detail)
    case .outsideMonths(let detail): self.init(status: 404, code: "outsideMonths", detail: detail)
    case .notComplete:
      self.init(
        status: 404, code: "notComplete", detail: "nothing is chosen yet, or a range is still open")
    case .tooLarge(let detail): self.init(status: 413, code: "tooLarge", detail: detail)
    case .tooMany:
      self.init(
        status: 429, code: "tooMany", detail: "too many changes per second; retry later",
        retryAfterSeconds: 1)
    case .versionMismatch(let version):
      self.init(
        status: 412, code: "versionMismatch",
        detail: "If-Match does not match: the current version of the definition is \(version)")
    case .tooLate(let current): self.init(current)
    case .noSuchOp: self = .noSuchOp
    case .externalTaken(let id):
      self.init(
        status: 409, code: "externalTaken", detail: "a living session has this external id",
        members: [.init("session", .string(id.text))])
    case .keyReused: self = .keyReused
    case .patchFailed(let detail): self.init(status: 409, code: "patchFailed", detail: detail)
    case .sessionFull, .rolesFull, .logFull, .storeFull, .full:
      self.init(status: 503, code: "full", detail: ProblemDocument.fullDetail(of: problem))
    case .noMemory:
      self.init(status: 503, code: "unavailable", detail: HubProblem.noMemoryDetail)
    case .unavailable:
      self.init(
        status: 503, code: "unavailable",
        detail: "the server is shutting down, its store cannot be used, another node has the "
          + "session, or too many of its changes are pending; retry later")
    }
  }

  private init(_ refusal: Refusal) {
    self.init(
      status: 409, code: refusal.code.rawValue, detail: refusal.detail,
      members: [.init("params", .object(refusal.params))])
  }

  private init(_ problem: DefinitionProblem, status: Int, code: String) {
    var members: [JSONTree.Member] = []
    if let refusal = problem.refusal {
      members = [
        .init("reason", .string(refusal.code.rawValue)), .init("params", .object(refusal.params)),
      ]
    }
    self.init(
      status: status, code: code, detail: problem.detail, pointer: problem.pointer,
      members: members)
  }

  private static var keyReused: ProblemDocument {
    ProblemDocument(
      status: 422, code: "keyReused",
      detail: "this Idempotency-Key was used with another body; use a new key")
  }

  private static var noSuchDefinition: ProblemDocument {
    ProblemDocument(
      status: 404, code: "noSuchDefinition", detail: "there is no shared definition of this name")
  }

  private static var inUse: ProblemDocument {
    ProblemDocument(
      status: 409, code: "inUse",
      detail: "sessions use this definition, or its inventory has bookings; it can be deleted when "
        + "they have ended and none is left")
  }

  private static var noSuchMember: ProblemDocument {
    ProblemDocument(
      status: 404, code: "noSuchMember",
      detail: "member not found or no longer in the session; POST to members creates a new one")
  }

  private static var noSuchOp: ProblemDocument {
    ProblemDocument(
      status: 404, code: "noSuchOp",
      detail: "this session never had a confirmation with this op; take it from the event "
        + "session.confirming, or from GET while the status is confirming")
  }

  private init(_ current: CurrentDecision) {
    self.init(
      status: 409, code: "tooLate",
      detail: "something else was first to decide on this confirmation; the session is "
        + "\(current.status.rawValue)", members: [.init("stands", current.tree)])
  }

  /// Which limit has been reached, and what to do.
  private static func fullDetail(of problem: HubProblem) -> String {
    switch problem {
    case .sessionFull:
      "the session has as many members, or event streams, as the limit members allows; retry when "
        + "some have left, or create another session"
    case .rolesFull:
      "the session has the maximum number of roles below owner that the host has given"
    case .logFull:
      "the log of this session has reached the limit logBytes; create a new session"
    case .storeFull:
      "the store has reached the limit storeBytes; retry when sessions have ended, or let the "
        + "operator raise that limit"
    case .full(.sessions):
      "there are as many sessions as the limit sessions allows; retry when some have ended, or let "
        + "the operator raise that limit"
    case .full(.sessionsBytes):
      "the sessions in memory have reached the limit sessionsBytes; retry when some have ended or "
        + "lost their last members, or let the operator raise that limit"
    case .full(.keys):
      "the server remembers as many idempotency keys of 24 hours as the limit sessions allows; "
        + "retry later, or let the operator raise that limit"
    default: preconditionFailure("only these are limits")
    }
  }

  /// The problem as a response.
  var response: HTTPResponse {
    var headers = [
      ("Content-Type", ProblemDocument.contentType), ("Cache-Control", "no-store"),
    ]
    switch status {
    case 401: headers.append(("WWW-Authenticate", "Bearer"))
    case 405: headers.append(("Allow", allow.joined(separator: ", ")))
    case 429, 503: headers.append(("Retry-After", "\(retryAfterSeconds ?? 5)"))
    default: break
    }
    var response = HTTPResponse(
      status: status, headers: headers.map { (name: $0.0, value: $0.1) }, body: bytes)
    // Another node may own the session: only a new connection reaches it.
    if code == "unavailable" { response.keepAlive = false }
    return response
  }
}
