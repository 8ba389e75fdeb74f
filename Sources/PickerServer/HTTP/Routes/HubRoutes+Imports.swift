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
  func importMarks(_ call: RoutedRequest) throws(ProblemDocument) {
    guard gate.keys != nil else { throw notFound(call.request.path) }
    try limitBody(of: call.request)
    let caller = call.caller
    let body: JSONTree
    do throws(BadMessage) {
      body = try parseBody(call.request.body.bytes, fields: MarkImport.fields)
    } catch {
      throw ProblemDocument(error)
    }
    hub.host.importMarks(
      body, of: MemberID(call["member"]), in: call.session, token: call.credential,
      at: transport.now
    ) { [self] result in
      answer(caller, "application/json", result.map { ($0.body, $0.shortBody) })
    }
  }
}
