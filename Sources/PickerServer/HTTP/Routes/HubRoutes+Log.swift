import PickerHub
import PickerSession
import WebSocketTransport

/// `GET /v1/sessions/{id}/log`.
extension HubRoutes {
  func log(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    var after = 0
    if let text = call.request.queryValue("after") {
      guard let number = Int(text), number >= 0 else {
        throw ProblemDocument(
          status: 400, code: "badRequest", detail: "after must be a revision, 0 or greater")
      }
      after = number
    }
    var limit: Int?
    if let text = call.request.queryValue("limit") {
      guard let number = Int(text), HubRoutes.logLimits.contains(number) else {
        throw ProblemDocument(
          status: 400, code: "badRequest",
          detail: "limit must be a number of lines from 1 to \(HubRoutes.logLimits.upperBound)")
      }
      limit = number
    }
    hub.logLines(
      call.session, token: call.credential, after: after, limit: limit, at: transport.now
    ) { [self] in answer(caller, $0) }
  }

  /// The permitted values of the query parameter `limit`.
  private static let logLimits = 1...1_000_000

  /// Answers a log: one page with its length, several pages in chunks.
  private func answer(_ caller: Caller, _ result: Result<LogPage, HubProblem>) {
    let type = "application/x-ndjson"
    switch result {
    case .success(let page) where page.next == nil: answer(caller, 200, type, page.lines)
    case .success(let page):
      transport.answer(
        caller, headers: [("Content-Type", type), ("Cache-Control", "no-store")],
        parts: part(page))
    case .failure(let problem): answer(caller, ProblemDocument(problem))
    }
  }

  private func part(_ page: LogPage) -> BodyPart {
    guard let next = page.next else { return BodyPart(page.lines, rest: nil) }
    return BodyPart(page.lines) { [self] answer in
      hub.moreLogLines(next) { [self] in answer($0.map(part)) }
    }
  }
}
