import CivilTime
import JSONText
import PickerHub
import PickerSession
import PickerWire
import WebSocketTransport

/// `POST /v1/sessions/{id}/revoke`
/// - Source: web/guide/README.md, "Let your users in".
extension HubRoutes {
  func revoke(_ call: RoutedRequest) throws(ProblemDocument) {
    guard gate.keys != nil else { throw notFound(call.request.path) }
    try limitBody(of: call.request)
    let caller = call.caller
    let revocation = try revocation(call.request.body.bytes)
    hub.revoke(revocation, in: call.session, token: call.credential, at: transport.now) {
      [self] result in
      switch result {
      case .success(let revocation):
        let document = JSONTree.object([
          .init("tokenIssuedBefore", .string(revocation.issuedBefore.rfc3339))
        ])
        answer(caller, 200, "application/json", document.serialized())
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  private func revocation(_ body: [UInt8]) throws(ProblemDocument) -> Revocation {
    let tree: JSONTree
    do throws(BadMessage) {
      tree = try parseBody(body, fields: ["subject", "member", "tokenIssuedBefore"])
    } catch {
      throw ProblemDocument(error)
    }
    let fields = tree.members ?? []
    guard fields.count == 1, let text = fields.first?.value.string else {
      throw .badRequest("send one of subject, member and tokenIssuedBefore, as a string")
    }
    let now = Instant(milliseconds: SocketLoop.wallMilliseconds())
    switch fields[0].key {
    case "subject":
      guard (1...MemberToken.subjectCharactersMax).contains(text.unicodeScalars.count) else {
        throw .badRequest(
          "subject must have 1 to \(MemberToken.subjectCharactersMax) characters", "/subject")
      }
      return Revocation(.subject(text), issuedBefore: now, madeAt: now)
    case "member": return Revocation(.member(MemberID(text)), issuedBefore: now, madeAt: now)
    default:
      guard let before = Instant(rfc3339: text.utf8),
        before <= now.adding(milliseconds: MemberToken.skewMilliseconds)
      else {
        throw .badRequest(
          "tokenIssuedBefore must be an RFC 3339 time that is not in the future",
          "/tokenIssuedBefore")
      }
      return Revocation(.everyone, issuedBefore: before, madeAt: now)
    }
  }
}

extension ProblemDocument {
  fileprivate static func badRequest(
    _ detail: String, _ pointer: String? = nil
  ) -> ProblemDocument {
    ProblemDocument(status: 400, code: "badRequest", detail: detail, pointer: pointer)
  }
}
