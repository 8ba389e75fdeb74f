import SessionLog
import WebSocketTransport

/// `GET /v1/feed`.
/// - Source: web/guide/feed.md.
extension HubRoutes {
  func readFeed(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    try admitFeed(call.request)
    let query = try FeedQuery(call.request, namespace: call.credential?.namespace)
    guard let reader = store.feedReaders.enter() else {
      throw ProblemDocument(
        status: 503, code: "full",
        detail: "the maximum number of requests are reading the feed already; try again later")
    }
    let reading = FeedReading(
      feed: store.feed, reader: reader,
      isAdmitted: gate.recheck(call.request.head, scope: .feed))
    if query.isStream {
      try await stream(query, reading, call.caller)
      return nil
    }
    return await fromAnyThread { reading.answer(query, completion: $0) }
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
  private func stream(
    _ query: FeedQuery, _ reading: FeedReading, _ caller: Caller
  ) async throws(ProblemDocument) {
    var caller = caller
    caller.acceptsGzip = false
    // Read the first page before the response starts: its status may be 410.
    let start = try await fromAnyThread { reading.start(query, completion: $0) }.get()
    transport.answer(
      caller, headers: HubTransport.eventHeaders + [("Feed-Epoch", start.epoch)],
      parts: reading.part(
        start.page, query.request, start.epoch, transport.group, transport.index,
        after: start.restart))
  }
}

extension EventFeed {
  /// Checks the epoch of a client's position, if it sends one.
  ///
  /// - Parameter completion: Called on any thread; with a problem, 410 if it is not that of the
  ///   feed.
  func check(
    epoch: String?, completion: @escaping @Sendable (ProblemDocument?) -> Void
  ) {
    guard let epoch, epoch != self.epoch else { return completion(nil) }
    // No feed has this position: the answer says which ones it has.
    read(FeedRequest(after: .max, types: nil, countMax: 1)) { [self] result in
      guard case .failure(.gone(let oldest, let newest)) = result else {
        return completion(ProblemDocument(FeedProblem.unavailable))
      }
      completion(
        ProblemDocument(
          status: 410, code: "gone",
          detail: "the feed has a new epoch, because a backup was restored, a database has failed "
            + "over, or a server without a store was restarted: positions up to \(newest) may have "
            + "other events than before",
          members: [
            .init("epoch", .string(self.epoch)), .init("oldest", .integer(oldest)),
            .init("newest", .integer(newest)),
          ]))
    }
  }
}

extension FeedQuery {
  /// A query for a stream's next page, which waits for at most 15 s.
  fileprivate init(_ request: FeedRequest, following position: Int) {
    self.request = request.following(position)
    waitMilliseconds = FeedQuery.keepAliveMilliseconds
    epoch = nil
    isContinued = false
    hasPosition = true
    isStream = true
  }

  /// The query of a client without a position, for the oldest event that there is now; `nil` if the
  /// client sends one, or the result is another.
  fileprivate func fromOldest(after result: Result<FeedPage, FeedProblem>) -> FeedQuery? {
    guard !hasPosition, case .failure(.gone(let oldest, _)) = result else { return nil }
    var query = self
    query.request = request.following(oldest - 1)
    return query
  }

  /// The interval in which idle streams are kept alive.
  private static let keepAliveMilliseconds = 15_000
}

/// The beginning of a stream.
struct FeedStart: Sendable {
  let page: FeedPage
  /// The epoch of the page.
  let epoch: String
  /// The event that says that the stream does not continue after the client's position, if so.
  var restart: [UInt8] = []
}

/// The reason why a stream does not continue after the client's position.
private enum FeedRestartReason: String, Sendable {
  /// The position is of another history.
  case epoch
  /// The feed has not reached the position.
  case ahead
  /// Events after the position have been deleted.
  case gone
}

/// Reads pages of the feed for one request, on any thread.
struct FeedReading: Sendable {
  let feed: any EventFeed
  /// Held until the request is answered.
  let reader: FeedReader
  /// Whether the key of the request is still valid.
  let isAdmitted: @Sendable () -> Bool

  /// Answers with the requested events after a position.
  func answer(_ query: FeedQuery, completion: @escaping @Sendable (HTTPResponse) -> Void) {
    feed.check(epoch: query.epoch) { problem in
      if let problem { return completion(problem.response) }
      next(query) { result in
        guard isAdmitted() else { return completion(ProblemDocument.keyEnded.response) }
        if let query = query.fromOldest(after: result) {
          return answer(query, completion: completion)
        }
        // It may have got another epoch meanwhile.
        feed.check(epoch: query.epoch) { completion($0?.response ?? result.response(feed)) }
      }
    }
  }

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
      let rest = request.following(page.position)
      feed.signal.wait(for: rest, milliseconds: remaining) {
        read(rest, until: deadline, completion)
      }
    }
  }

  /// Reads the first page of a stream: after the client's position, or from the oldest event if the
  /// client continues a stream after a position that the feed does not have.
  func start(
    _ query: FeedQuery,
    completion: @escaping @Sendable (Result<FeedStart, ProblemDocument>) -> Void
  ) {
    feed.read(query.request) { result in
      // Here, because the feed gets another epoch only between two reads.
      feed.check(epoch: query.epoch) { problem in
        if let problem {
          guard query.isContinued else { return completion(.failure(problem)) }
          return restart(query.request, .epoch, after: 0, completion)
        }
        if let query = query.fromOldest(after: result) {
          return start(query, completion: completion)
        }
        switch result {
        case .success(let page):
          completion(.success(FeedStart(page: page, epoch: feed.epoch)))
        case .failure(.gone(let oldest, let newest)) where query.isContinued:
          let isAhead = query.request.after > newest
          restart(query.request, isAhead ? .ahead : .gone, after: oldest - 1, completion)
        case .failure(let problem): completion(.failure(ProblemDocument(problem)))
        }
      }
    }
  }

  /// Reads the oldest events.
  ///
  /// - Parameter position: The position before the oldest event, or an earlier one.
  private func restart(
    _ request: FeedRequest, _ reason: FeedRestartReason, after position: Int,
    _ completion: @escaping @Sendable (Result<FeedStart, ProblemDocument>) -> Void
  ) {
    let oldest = request.following(position)
    feed.read(oldest) { result in
      switch result {
      case .success(let page):
        let id = FeedEventID(epoch: feed.epoch, position: position)
        let event =
          "event: restarted\nid: \(id)\ndata: {\"reason\":\"\(reason.rawValue)\","
          + "\"epoch\":\"\(feed.epoch)\",\"oldest\":\(position + 1)}\n\n"
        completion(
          .success(FeedStart(page: page, epoch: feed.epoch, restart: Array(event.utf8))))
      case .failure(.gone(let oldest, _)):
        restart(request, reason, after: oldest - 1, completion)
      case .failure(let problem): completion(.failure(ProblemDocument(problem)))
      }
    }
  }

  /// A page as server-sent events, with a function that reads the following one. The stream ends
  /// when the feed has another epoch. Used on the loop with the index `index`.
  ///
  /// - Parameter first: The events before the page's.
  func part(
    _ page: FeedPage, _ request: FeedRequest, _ epoch: String, _ group: LoopGroup, _ index: Int,
    after first: [UInt8] = []
  ) -> BodyPart {
    let bytes = first + page.events(of: epoch)
    if feed.signal.isClosed { return BodyPart(bytes, rest: nil) }
    return BodyPart(bytes) { answer in
      // Only used on the loop's thread.
      nonisolated(unsafe) let answer = answer
      next(FeedQuery(request, following: page.position)) { result in
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
  /// Server-sent events. If there are none, an `id` alone: clients do not report it as an event,
  /// but reconnect after it, so that a client of few types, or of none yet, need not begin again.
  fileprivate func events(of epoch: String) -> [UInt8] {
    if lines.isEmpty {
      return Array("id: \(FeedEventID(epoch: epoch, position: position))\n\n".utf8)
    }
    return lines.flatMap { line in
      let id = FeedEventID(epoch: epoch, position: line.position)
      return Array("id: \(id)\ndata: ".utf8) + line.json + Array("\n\n".utf8)
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
