import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// Members, commands and decisions without a WebSocket.
extension HubRoutes {
  /// `POST …/members`
  func addMember(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    try limitBody(of: call.request)
    let body: MemberRequest
    do throws(BadMessage) {
      body = try MemberRequest(call.request.body.bytes)
    } catch {
      throw ProblemDocument(error)
    }
    hub.addMember(to: call.session, body, token: call.credential, at: transport.now) {
      [self] result in
      switch result {
      case .success(let welcome): answer(caller, 201, "application/json", welcome)
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  /// `POST …/commands`
  func command(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    try limitBody(of: call.request)
    let body: CommandRequest
    do throws(BadMessage) {
      body = try CommandRequest(call.request.body.bytes)
    } catch {
      throw ProblemDocument(error)
    }
    if body.member != nil, call.credential?.isKey == true {
      throw badRequest("a command with an API key is the host's: it has neither member nor secret")
    }
    hub.post(
      body, to: call.session, token: call.credential,
      locale: call.locale, at: transport.now
    ) { [self] result in
      answer(caller, "application/json", result.map { ($0, shortBody(of: $0)) })
    }
  }

  /// The reply in place of a delta that may find no memory, see ``HTTPResponse/shortBody``.
  private func shortBody(of body: [UInt8]) -> [UInt8]? {
    guard body.count > HTTPBody.smallByteCountMax, let delta = try? JSONTree.parse(body),
      delta["type"]?.string == "delta", let revision = delta["revision"]?.integer
    else { return nil }
    return Array(hub.encoder.reply(ref: delta["ref"]?.integer, revision: revision).bytes)
  }

  /// `POST /v1/sessions/{id}/settle`
  func settle(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    try limitBody(of: call.request)
    let settle: Settle
    do throws(BadMessage) {
      settle = try Settle(body: call.request.body.bytes)
    } catch {
      throw ProblemDocument(error)
    }
    hub.host.settle(call.session, settle, token: call.credential, at: transport.now) {
      [self] in answer(caller, "application/json", $0)
    }
  }
}
