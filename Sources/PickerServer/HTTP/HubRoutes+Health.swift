import PickerHub
import WebSocketTransport

/// What tells an operator how the server is.
extension HubRoutes {
  /// The admin listener's routes; there are no others on it.
  func routeAdmin(_ caller: Caller, _ request: HTTPRequest) throws(ProblemDocument) {
    switch request.path {
    case "/metrics":
      try allow(request, .get)
      metrics(caller)
    case "/healthz", "/readyz": try health(caller, request)
    default: throw notFound(request.path)
    }
  }

  /// `GET /healthz`, `GET /readyz`
  func health(_ caller: Caller, _ request: HTTPRequest) throws(ProblemDocument) {
    try allow(request, .get)
    if request.path == "/healthz" {
      return answer(caller, 200, "text/plain; charset=utf-8", Array("alive\n".utf8))
    }
    if let problem = unreadiness {
      throw ProblemDocument(status: 503, code: "unavailable", detail: problem)
    }
    answer(caller, 200, "text/plain; charset=utf-8", Array("ready\n".utf8))
  }

  /// Why no session can be accepted now; `nil` if they can.
  private var unreadiness: String? {
    transport.hub.isDraining ? "the server is going away" : store.failure
  }

  /// Collects the figures of every loop.
  private func metrics(_ caller: Caller) {
    transport.group.ask(for: transport) { transport, reply in
      reply(LoopFigures(transport))
    } completion: { [self] (figures: [LoopFigures]) in
      let text = ServerMetrics.text(figures, store, gate.rates)
      answer(caller, 200, MetricsText.contentType, Array(text.utf8))
    }
  }
}
