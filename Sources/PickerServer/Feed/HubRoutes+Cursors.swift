import JSONText
import PickerModel
import PickerWire
import SessionLog
import WebSocketTransport

/// `GET`, `PUT` and `DELETE /v1/feed/cursors/{name}`: positions that readers store in the server.
extension HubRoutes {
  func readCursor(_ call: RoutedRequest) throws(ProblemDocument) {
    let name = try cursorName(call)
    let caller = call.caller
    refresh(call) { routes throws(ProblemDocument) in
      guard let position = routes.store.feed.cursors[name.text] else { throw routes.noSuchCursor }
      routes.answerCursor(caller, call["name"], position)
    }
  }

  func setCursor(_ call: RoutedRequest) throws(ProblemDocument) {
    let name = try cursorName(call)
    try limitBody(of: call.request)
    let (position, epoch) = try position(in: call.request)
    // Another node may have sent a reader a later position or another epoch than this one knows.
    if position <= store.feed.signal.position, epoch == nil || epoch == store.feed.epoch {
      return setCursor(name, to: position, call)
    }
    let (group, index) = (transport.group, transport.index)
    refresh(call) { routes in
      // Safe: only used on the loop's thread.
      nonisolated(unsafe) let routes = routes
      routes.store.feed.check(epoch: epoch) { problem in
        group.post(to: index) { _ in
          if let problem { return routes.answer(call.caller, problem) }
          let newest = routes.store.feed.signal.position
          guard position <= newest else {
            return routes.answer(call.caller, HubRoutes.noSuchPosition(newest: newest))
          }
          routes.setCursor(name, to: position, call)
        }
      }
    }
  }

  private func setCursor(_ name: CursorName, to position: Int, _ call: RoutedRequest) {
    let (group, index) = (transport.group, transport.index)
    let (caller, shown) = (call.caller, call["name"])
    // Safe: only used on the loop's thread.
    nonisolated(unsafe) let routes = self
    store.feed.setCursor(name, to: position) { result in
      group.post(to: index) { _ in
        switch result {
        case .success: routes.answerCursor(caller, shown, position)
        case .failure(let problem): routes.answer(caller, ProblemDocument(problem))
        }
      }
    }
  }

  /// Calls `body` on the loop's thread when the feed has what other nodes have changed before the
  /// request.
  private func refresh(
    _ call: RoutedRequest,
    _ body: @escaping (HubRoutes) throws(ProblemDocument) -> Void
  ) {
    let (group, index, caller) = (transport.group, transport.index, call.caller)
    // Safe: only used on the loop's thread.
    nonisolated(unsafe) let (routes, body) = (self, body)
    let isAdmitted = gate.recheck(call.request.head, scope: .feed)
    store.feed.refresh { isCurrent in
      group.post(to: index) { _ in
        guard isCurrent else {
          return routes.answer(caller, ProblemDocument(FeedProblem.unavailable))
        }
        do throws(ProblemDocument) {
          guard isAdmitted() else { throw ProblemDocument.keyEnded }
          try body(routes)
        } catch {
          routes.answer(caller, error)
        }
      }
    }
  }

  func deleteCursor(_ call: RoutedRequest) throws(ProblemDocument) {
    let name = try cursorName(call)
    let (group, index, caller) = (transport.group, transport.index, call.caller)
    store.feed.setCursor(name, to: nil) { result in
      group.post(to: index) { transport in
        switch result {
        case .success: transport.answer(caller, HTTPResponse(status: 204))
        case .failure(let problem): transport.answer(caller, ProblemDocument(problem).response)
        }
      }
    }
  }

  private var noSuchCursor: ProblemDocument {
    ProblemDocument(
      status: 404, code: "noSuchCursor", detail: "there is no cursor of this name",
      members: [.init("epoch", .string(store.feed.epoch))])
  }

  private func answerCursor(_ caller: Caller, _ name: String, _ position: Int) {
    let tree = JSONTree.object([
      .init("name", .string(name)), .init("position", .integer(position)),
      .init("epoch", .string(store.feed.epoch)),
    ])
    answer(caller, 200, "application/json", tree.serialized())
  }

  private func cursorName(_ call: RoutedRequest) throws(ProblemDocument) -> CursorName {
    try admitFeed(call.request)
    let name = call["name"]
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard isName, (1...64).contains(name.utf8.count), name != ".", name != ".." else {
      throw ProblemDocument(
        status: 400, code: "badRequest",
        detail: "the name of a cursor has 1 to 64 letters, digits, -, _ and ., not . or ..")
    }
    return CursorName(name, namespace: call.credential?.namespace)
  }

  private func position(
    in request: HTTPRequest
  ) throws(ProblemDocument) -> (position: Int, epoch: String?) {
    let body: JSONTree
    do throws(BadMessage) {
      body = try parseBody(request.body.bytes, fields: ["position", "epoch"])
    } catch {
      throw ProblemDocument(status: 400, code: "badRequest", detail: error.detail)
    }
    let epoch = body["epoch"]
    if let epoch, epoch.string == nil {
      throw ProblemDocument(
        status: 400, code: "badRequest", detail: "epoch must be a string, as in Feed-Epoch")
    }
    guard let position = body["position"]?.integer, position >= 0 else {
      throw HubRoutes.noSuchPosition(newest: store.feed.signal.position)
    }
    return (position, epoch?.string)
  }

  private static func noSuchPosition(newest: Int) -> ProblemDocument {
    ProblemDocument(
      status: 400, code: "badRequest",
      detail: "position must be a position of the feed, 0 to \(newest)")
  }
}

extension ProblemDocument {
  /// The key was valid when the request came.
  static var keyEnded: ProblemDocument {
    ProblemDocument(
      status: 401, code: "badToken", detail: "the key has been revoked or has expired meanwhile")
  }

  init(_ problem: FeedProblem) {
    switch problem {
    case .gone(let oldest, let newest):
      self.init(
        status: 410, code: "gone",
        detail: "the feed has the positions \(oldest) to \(newest); events before them have been "
          + "deleted, and later ones do not exist yet",
        members: [.init("oldest", .integer(oldest)), .init("newest", .integer(newest))])
    case .tooManyCursors:
      self.init(
        status: 409, code: "tooManyCursors",
        detail: "there are \(FeedLimits.cursorCountMax) cursors already; delete one")
    case .unavailable:
      self.init(
        status: 503, code: "unavailable", detail: "the service is unavailable now; retry later")
    }
  }
}
