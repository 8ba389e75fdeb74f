import PickerHub
import WebSocketTransport

extension ProblemDocument {
  /// A problem of the hub with its status and code.
  /// - Source: protocol.md, "HTTP".
  init(_ problem: HubProblem) {
    switch problem {
    case .badRequest(let detail): self.init(status: 400, code: "badRequest", detail: detail)
    case .badDefinition(let problem):
      self.init(
        status: 422, code: "badDefinition", detail: problem.detail, pointer: problem.pointer)
    case .noToken:
      self.init(
        status: 401, code: "noToken", detail: "this session needs a token, in Authorization: Bearer"
      )
    case .badToken:
      self.init(status: 401, code: "badToken", detail: "the token is none of this session's")
    case .notAllowed(let detail): self.init(status: 403, code: "notAllowed", detail: detail)
    case .noSuchSession:
      self.init(
        status: 404, code: "noSuchSession", detail: "there is no session with this id, or no more")
    case .noSuchMember:
      self.init(
        status: 404, code: "noSuchMember",
        detail: "there is no such member, or it has left; POST to members makes a new one")
    case .wrongSecret:
      self.init(status: 401, code: "badToken", detail: "the secret is not this member's")
    case .wrongKind(let detail): self.init(status: 404, code: "wrongKind", detail: detail)
    case .outsideMonths(let detail): self.init(status: 404, code: "outsideMonths", detail: detail)
    case .tooLarge(let detail): self.init(status: 413, code: "tooLarge", detail: detail)
    case .tooMany:
      self.init(
        status: 429, code: "tooMany", detail: "too many changes in a second; send it again later",
        retryAfterSeconds: 1)
    case .versionMismatch(let version):
      self.init(
        status: 412, code: "versionMismatch", detail: "the definition has version \(version)")
    case .patchFailed(let detail): self.init(status: 409, code: "patchFailed", detail: detail)
    case .sessionFull:
      self.init(
        status: 503, code: "full", detail: "the session has all the members that it may have")
    case .logFull:
      self.init(
        status: 503, code: "full",
        detail: "the log of this session has reached its maximum of bytes; create a new session")
    case .full:
      self.init(
        status: 503, code: "full", detail: "the server has all the sessions that it may have")
    case .unavailable:
      self.init(
        status: 503, code: "unavailable", detail: "the server cannot do this now; come back later")
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
    return HTTPResponse(
      status: status, headers: headers.map { (name: $0.0, value: $0.1) }, body: octets)
  }
}
