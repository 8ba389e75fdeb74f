import PickerHost
import PickerHub
import PickerSession
import PickerWire
import WebSocketTransport

/// Streams of server-sent events.
extension HubRoutes {
  /// `GET …/events`
  func events(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let caller = call.caller
    var watch = WatchRequest()
    watch.token = call.credential
    watch.ticket = try ticket(call.request, for: .events, of: call.session)
    watch.locale = call.locale
    watch.timeZone = call.request.queryValue("timeZone")
    if let text = call.request.queryValue("months") {
      let countText = call.request.queryValue("count") ?? "1"
      guard let count = Int(countText), count >= 0 else {
        throw .badRequest("count must be a number of months")
      }
      watch.view = MonthView(from: try month(text, named: "months"), count: count)
    }
    watch.seen = call.request.headers[.lastEventID].flatMap(ServerSentEvent.parse)
    if call.request.method == .head {
      // The status and headers that a stream would have.
      try await host { [watch] host throws(HubProblem) in
        try await host.admitViewer(
          to: call.session, token: watch.token, ticket: watch.ticket, at: transport.now)
      }
      return HTTPResponse(status: 200, headers: HubTransport.eventHeaders)
    }
    let lifetime = watch.ticket.map { ticket in
      min(86_400_000, (ticket.endsAt ?? .max) - transport.now.machine)
    }
    let isAdmitted =
      call.credential?.isKey == true ? gate.recheck(call.request.head, scope: .sessions) : nil
    hub.watch(call.session, watch, at: transport.now) { [self] result in
      switch result {
      case .success(let epoch):
        return transport.openEvents(
          caller, of: (call.session, call.request.head), epoch: epoch, lifetime: lifetime,
          isAdmitted: isAdmitted)
      case .failure(let problem):
        answer(caller, ProblemDocument(problem))
        return nil
      }
    }
    return nil
  }
}
