import SessionLog
import WebSocketTransport

/// `GET /v1/feed`.
/// - Source: web/guide/feed.md.
extension HubRoutes {
  func readFeed(_ call: RoutedRequest) throws(ProblemDocument) {
    try admitFeed(call.request)
    let query = try FeedQuery(call.request)
    let epoch = call.request.queryValue("epoch")
    try check(epoch: epoch)
    guard let reader = store.feedReaders.enter() else {
      throw ProblemDocument(
        status: 503, code: "full",
        detail: "the maximum number of requests are reading the feed already; try again later")
    }
    let reading = FeedReading(
      feed: store.feed, reader: reader,
      isAdmitted: gate.recheck(call.request.head, scope: .feed))
    if query.isStream { return stream(query, epoch, reading, call.caller) }
    let (group, index, caller) = (transport.group, transport.index, call.caller)
    reading.next(query) { result in
      let problem =
        reading.isAdmitted() ? HubRoutes.problem(of: epoch, reading.feed) : .keyEnded
      let response = problem?.response ?? result.response(reading.feed)
      group.post(to: index) { $0.answer(caller, response) }
    }
  }

  /// Checks the epoch of a client's position, if it sends one.
  ///
  /// - Throws: 410 if it is not that of the feed.
  func check(epoch: String?) throws(ProblemDocument) {
    if let problem = HubRoutes.problem(of: epoch, store.feed) { throw problem }
  }

  /// 410 if the epoch of a client's position, if it sends one, is not that of the feed.
  private static func problem(of epoch: String?, _ feed: any EventFeed) -> ProblemDocument? {
    guard let epoch, epoch != feed.epoch else { return nil }
    let newest = feed.signal.position
    return ProblemDocument(
      status: 410, code: "gone",
      detail: "the feed has a new epoch, because a backup was restored or a server without a store "
        + "was restarted: positions up to \(newest) may have other events than before",
      members: [.init("epoch", .string(feed.epoch)), .init("newest", .integer(newest))])
  }

  /// - Throws: 403
  func admitFeed(_ request: HTTPRequest) throws(ProblemDocument) {
    try admit(request, toRead: "the feed", scope: .feed)
  }

  /// Without API keys, requests that cover all sessions are accepted from the same machine only:
  /// with `--auth open` a session is protected by nothing but its secret id.
  ///
  /// - Throws: 403
  func admit(
    _ request: HTTPRequest, toRead subject: String, scope: KeyScope
  ) throws(ProblemDocument) {
    // With keys the gate has checked that the request has one with the scope.
    if gate.keys(for: request.head) != nil { return }
    if request.isAdmin, HubRoutes.sameMachine.contains(request.remoteAddress) { return }
    throw ProblemDocument(
      status: 403, code: "notAllowed",
      detail: "\(subject) needs an API key with the scope \(scope.rawValue) (--auth keys:FILE, or "
        + "--admin-keys); without keys it is served on the admin listener (--admin-listen) to "
        + "clients on the same machine")
  }

  /// The addresses of clients on the same machine.
  private static let sameMachine = TrustedProxies.standard

  /// Answers with server-sent events. The next page is read when the socket has accepted the
  /// previous one, so that a slow reader occupies the memory of one page.
  ///
  /// - Parameter epoch: That of the client's position, if it sends one.
  private func stream(
    _ query: FeedQuery, _ epoch: String?, _ reading: FeedReading, _ caller: Caller
  ) {
    var caller = caller
    caller.acceptsGzip = false
    let request = query.request
    let (group, index) = (transport.group, transport.index)
    let whole = FeedQuery.page(of: request)
    // Read the first page before the response starts: its status may be 410.
    reading.next(whole) { [caller] result in
      group.post(to: index) { transport in
        let problem = HubRoutes.problem(of: epoch, reading.feed)?.response
        guard problem == nil, case .success(let page) = result else {
          return transport.answer(caller, problem ?? result.response(reading.feed))
        }
        let epoch = reading.feed.epoch
        transport.answer(
          caller, headers: HubTransport.eventHeaders + [("Feed-Epoch", epoch)],
          parts: reading.part(page, request, epoch, group, index))
      }
    }
  }
}

extension FeedQuery {
  private init(_ request: FeedRequest, waitMilliseconds: Int) {
    self.request = request
    self.waitMilliseconds = waitMilliseconds
    isStream = true
  }

  /// A query for the events stored now; it does not wait.
  static func page(of request: FeedRequest) -> FeedQuery { FeedQuery(request, waitMilliseconds: 0) }

  /// A query that waits for events after a position, for at most 15 s.
  func following(_ position: Int) -> FeedQuery {
    FeedQuery(
      FeedRequest(after: position, types: request.types, countMax: request.countMax),
      waitMilliseconds: FeedQuery.commentMilliseconds)
  }

  /// The interval of comments that keep idle streams alive.
  private static let commentMilliseconds = 15_000
}

/// Reads pages of the feed for one request, on any thread.
struct FeedReading: Sendable {
  let feed: any EventFeed
  /// Held until the request is answered.
  let reader: FeedReader
  /// Whether the key of the request is still valid.
  let isAdmitted: @Sendable () -> Bool

  /// Reads the requested events after a position. If there are none, waits for the first one, at
  /// most for the time in the query.
  func next(
    _ query: FeedQuery, completion: @escaping @Sendable (Result<FeedPage, FeedProblem>) -> Void
  ) {
    let deadline = ContinuousClock.now + .milliseconds(query.waitMilliseconds)
    read(query.request, until: deadline, completion)
  }

  private func read(
    _ request: FeedRequest, until deadline: ContinuousClock.Instant,
    _ completion: @escaping @Sendable (Result<FeedPage, FeedProblem>) -> Void
  ) {
    feed.read(request) { result in
      let remaining = Int((deadline - .now) / .milliseconds(1))
      guard case .success(let page) = result, page.lines.isEmpty, remaining > 0,
        !feed.signal.isClosed
      else { return completion(result) }
      let rest = FeedRequest(
        after: page.position, types: request.types, countMax: request.countMax)
      feed.signal.wait(after: page.position, milliseconds: remaining) {
        read(rest, until: deadline, completion)
      }
    }
  }

  /// A page as server-sent events, with a function that reads the following one. The stream ends
  /// when the feed has another epoch. Used on the loop with the index `index`.
  func part(
    _ page: FeedPage, _ request: FeedRequest, _ epoch: String, _ group: LoopGroup, _ index: Int
  ) -> BodyPart {
    if feed.signal.isClosed { return BodyPart(page.events, rest: nil) }
    return BodyPart(page.events) { answer in
      // Only used on the loop's thread.
      nonisolated(unsafe) let answer = answer
      next(FeedQuery.page(of: request).following(page.position)) { result in
        let goesOn = isAdmitted() && feed.epoch == epoch
        group.post(to: index) { _ in
          guard goesOn else { return answer(BodyPart([], rest: nil)) }
          answer((try? result.get()).map { part($0, request, epoch, group, index) })
        }
      }
    }
  }
}

extension FeedPage {
  /// Server-sent events; a comment if there are none.
  fileprivate var events: [UInt8] {
    if lines.isEmpty { return Array(":\n\n".utf8) }
    return lines.flatMap {
      Array("id: \($0.position)\ndata: ".utf8) + $0.json + Array("\n\n".utf8)
    }
  }
}

extension Result<FeedPage, FeedProblem> {
  /// The answer with newline-delimited JSON.
  fileprivate func response(_ feed: any EventFeed) -> HTTPResponse {
    switch self {
    case .success(let page):
      HTTPResponse(
        status: 200,
        headers: [
          ("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store"),
          ("Feed-Position", "\(page.position)"), ("Feed-Epoch", feed.epoch),
        ], body: page.lines.flatMap { $0.json + [UInt8(ascii: "\n")] })
    case .failure(let problem): ProblemDocument(problem).response
    }
  }
}
