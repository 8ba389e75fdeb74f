import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// Members, commands and decisions without a WebSocket.
extension HubRoutes {
  /// `POST …/members`
  func addMember(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let body = try body(of: call, as: MemberRequest.init(_:))
    let welcome = try await host { _ throws(HubProblem) in
      try await answered { answer in
        hub.addMember(to: call.session, body, token: call.credential, at: transport.now) {
          answer($0)
        }
      }.get()
    }
    return HTTPResponse(json: welcome, status: 201)
  }

  /// `POST …/commands`
  func command(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let body = try body(of: call, as: CommandRequest.init(_:))
    if body.member != nil, call.credential?.isKey == true {
      throw .badRequest("a command with an API key is the host's: it has neither member nor secret")
    }
    let reply = try await host { _ throws(HubProblem) in
      try await answered { answer in
        hub.post(
          body, to: call.session, token: call.credential, locale: call.locale, at: transport.now
        ) { answer($0) }
      }.get()
    }
    return HTTPResponse(json: reply, shortBody: shortBody(of: reply))
  }

  /// The reply in place of a delta that may find no memory, see ``HTTPResponse/shortBody``.
  private func shortBody(of body: [UInt8]) -> [UInt8]? {
    guard body.count > HTTPBody.smallByteCountMax, let delta = try? JSONTree.parse(body),
      delta["type"]?.string == "delta", let revision = delta["revision"]?.integer
    else { return nil }
    return Array(hub.encoder.reply(ref: delta["ref"]?.integer, revision: revision).bytes)
  }

  /// `POST /v1/sessions/{id}/settle`
  func settle(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let settle = try body(of: call, as: Settle.init(body:))
    return HTTPResponse(
      json: try await host { host throws(HubProblem) in
        try await host.settle(call.session, settle, token: call.credential, at: transport.now)
      })
  }
}
