import PickerHub

/// The server's health and metrics, for operators.
extension HubRoutes {
  /// `GET /healthz`
  func alive(_ call: RoutedRequest) {
    answer(call.caller, 200, "text/plain; charset=utf-8", Array("alive\n".utf8))
  }

  /// `GET /readyz`
  ///
  /// - Throws: 503 if the server accepts no sessions now.
  func ready(_ call: RoutedRequest) throws(ProblemDocument) {
    if let problem = unreadiness {
      throw ProblemDocument(status: 503, code: "unavailable", detail: problem)
    }
    answer(call.caller, 200, "text/plain; charset=utf-8", Array("ready\n".utf8))
  }

  /// The reason why the server accepts no sessions now; `nil` if it does.
  private var unreadiness: String? {
    transport.hub.isDraining ? "the server is shutting down" : store.failure
  }

  /// `GET /metrics`, with the figures of every loop.
  func metrics(_ call: RoutedRequest) {
    let caller = call.caller
    ServerMetrics.collect(for: transport, store, gate) { [self] metrics in
      answer(caller, 200, MetricsText.contentType, Array(MetricsText(metrics).text.utf8))
    }
  }
}
