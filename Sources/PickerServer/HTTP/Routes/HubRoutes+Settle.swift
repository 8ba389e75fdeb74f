import PickerHub
import PickerSession
import PickerWire
import WebSocketTransport

extension HubRoutes {
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
    hub.settle(call.session, settle, token: call.credential, at: transport.now) {
      [self] in answer(caller, "application/json", $0)
    }
  }
}
