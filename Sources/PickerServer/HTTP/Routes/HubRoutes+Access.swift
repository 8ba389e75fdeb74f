import CivilTime
import CMachine
import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// The roles of subjects and members, and the end of access.
/// - Source: web/guide/README.md, "Let your users in".
extension HubRoutes {
  /// `POST /v1/sessions/{id}/revoke`
  func revoke(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    guard gate.keys != nil else { throw notFound(call.request.path) }
    let revocation = try revocation(call)
    let done = try await host { host throws(HubProblem) in
      try await host.revoke(
        revocation, in: call.session, token: call.credential, at: transport.now)
    }
    let document = JSONTree.object([.init("tokenIssuedBefore", .string(done.issuedBefore.rfc3339))])
    return HTTPResponse(json: document.serialized())
  }

  /// `POST /v1/sessions/{id}/role`
  func setRole(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    guard gate.keys != nil else { throw notFound(call.request.path) }
    let tree = try body(of: call, fields: ["subject", "member", "role"])
    guard let role = tree["role"]?.string.flatMap(Role.init(rawValue:)) else {
      throw .badRequest("role must be \"viewer\", \"editor\" or \"owner\"", at: "/role")
    }
    guard (tree["subject"]?.string == nil) != (tree["member"]?.string == nil) else {
      throw .badRequest("send subject or member, as a string")
    }
    let hostRole = HostRole(try target(tree), role)
    try await host { host throws(HubProblem) in
      try await host.set(hostRole, in: call.session, token: call.credential, at: transport.now)
    }
    return HTTPResponse(json: JSONTree.object([.init("role", .string(role.rawValue))]).serialized())
  }

  private func revocation(_ call: RoutedRequest) throws(ProblemDocument) -> Revocation {
    let tree = try body(of: call, fields: ["subject", "member", "tokenIssuedBefore"])
    let texts = (tree.members ?? []).compactMap(\.value.string)
    guard !texts.isEmpty, texts.count == tree.members?.count,
      tree["subject"] == nil || tree["member"] == nil
    else {
      throw .badRequest(
        "send subject or member, with or without tokenIssuedBefore, or tokenIssuedBefore alone, as "
          + "strings")
    }
    let now = Instant(milliseconds: machine_wall_ms())
    // A token that is accepted may have been issued so much later, by the host's clock.
    let latest = now.adding(milliseconds: MemberToken.skewMilliseconds)
    var issuedBefore = latest
    if let text = tree["tokenIssuedBefore"]?.string {
      guard let before = Instant(rfc3339: text.utf8), before <= latest else {
        throw .badRequest(
          "tokenIssuedBefore must be an RFC 3339 time that is at most 30 s ahead",
          at: "/tokenIssuedBefore")
      }
      issuedBefore = before
    }
    return Revocation(try target(tree), issuedBefore: issuedBefore, madeAt: now)
  }

  private func target(_ tree: JSONTree) throws(ProblemDocument) -> Revocation.Target {
    if let member = tree["member"]?.string { return .member(MemberID(member)) }
    guard let subject = tree["subject"]?.string else { return .everyone }
    guard (1...MemberToken.subjectCharactersMax).contains(subject.unicodeScalars.count) else {
      throw .badRequest(
        "subject must have 1 to \(MemberToken.subjectCharactersMax) characters", at: "/subject")
    }
    return .subject(subject)
  }
}
