import JSONText
import PickerModel
import PickerSession
import PickerWire
import SessionLog
import WebSocketTransport

/// `GET`, `PUT` and `DELETE /v1/feed/cursors/{name}`: positions that readers store in the server.
extension HubRoutes {
  func readCursor(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let name = try cursorName(call)
    try await refresh(call)
    guard let position = store.feed.cursors[name.text] else { throw noSuchCursor }
    return response(call["name"], position)
  }

  func setCursor(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let name = try cursorName(call)
    try limitBody(of: call.request)
    let (position, epoch) = try position(in: call.request)
    // Another node may have sent a reader a later position or another epoch than this one knows.
    if position > store.feed.signal.position || epoch != nil && epoch != store.feed.epoch {
      try await refresh(call)
      if let problem = await fromAnyThread({ store.feed.check(epoch: epoch, completion: $0) }) {
        throw problem
      }
      let newest = store.feed.signal.position
      guard position <= newest else { throw HubRoutes.noSuchPosition(newest: newest) }
    }
    try await set(name, to: position)
    return response(call["name"], position)
  }

  /// - Parameter position: `nil` deletes the cursor.
  private func set(_ name: CursorName, to position: Int?) async throws(ProblemDocument) {
    let result = await fromAnyThread { store.feed.setCursor(name, to: position, completion: $0) }
    if case .failure(let problem) = result { throw ProblemDocument(problem) }
  }

  /// Waits until the feed has what other nodes have changed before the request.
  private func refresh(_ call: RoutedRequest) async throws(ProblemDocument) {
    let isAdmitted = gate.recheck(call.request.head, scope: .feed)
    guard await fromAnyThread({ store.feed.refresh(completion: $0) }) else {
      throw ProblemDocument(FeedProblem.unavailable)
    }
    guard isAdmitted() else { throw ProblemDocument.keyEnded }
  }

  func deleteCursor(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    try await set(try cursorName(call), to: nil)
    return HTTPResponse(status: 204)
  }

  private var noSuchCursor: ProblemDocument {
    ProblemDocument(
      status: 404, code: "noSuchCursor", detail: "there is no cursor of this name",
      members: [.init("epoch", .string(store.feed.epoch))])
  }

  private func response(_ name: String, _ position: Int) -> HTTPResponse {
    let tree = JSONTree.object([
      .init("name", .string(name)), .init("position", .integer(position)),
      .init("epoch", .string(store.feed.epoch)),
    ])
    return HTTPResponse(json: tree.serialized())
  }

  private func cursorName(_ call: RoutedRequest) throws(ProblemDocument) -> CursorName {
    try admitFeed(call.request)
    let name = call["name"]
    guard SharedDefinition.isName(name) else {
      throw .badRequest("the name of a cursor has 1 to 64 letters, digits, -, _ and ., not . or ..")
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
      throw .badRequest(error.detail)
    }
    let epoch = body["epoch"]
    if let epoch, epoch.string == nil {
      throw .badRequest("epoch must be a string, as in Feed-Epoch")
    }
    guard let position = body["position"]?.integer, position >= 0 else {
      throw HubRoutes.noSuchPosition(newest: store.feed.signal.position)
    }
    return (position, epoch?.string)
  }

  private static func noSuchPosition(newest: Int) -> ProblemDocument {
    .badRequest("position must be a position of the feed, 0 to \(newest)")
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
