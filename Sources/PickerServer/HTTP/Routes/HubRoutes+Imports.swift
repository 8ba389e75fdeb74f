import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// `PUT /v1/sessions/{id}/members/{member}/marks`
/// - Source: web/guide/availability.md, "From a calendar that you know".
extension HubRoutes {
  func importMarks(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    guard gate.keys != nil else { throw notFound(call.request.path) }
    let body = try body(of: call, fields: MarkImport.fields)
    let answer = try await host { host throws(HubProblem) in
      try await host.importMarks(
        body, of: MemberID(call["member"]), in: call.session, token: call.credential,
        at: transport.now)
    }
    return HTTPResponse(json: answer.body, shortBody: answer.shortBody)
  }
}
