import PickerSession
import SessionLog
import WebSocketTransport

/// The parameters of `GET /v1/feed`.
/// - Source: web/guide/feed.md.
struct FeedQuery: Sendable {
  var request: FeedRequest
  /// The epoch that the position is of, if the client sends one.
  let epoch: String?
  /// Whether the client continues a stream, so that it learns why it cannot from an event: an
  /// `EventSource` does not read the body of a `410`, and stops for good.
  let isContinued: Bool
  /// Whether the client sends a position. Without one, reading begins with the oldest event.
  let hasPosition: Bool
  /// How long to wait for the first event.
  let waitMilliseconds: Int
  /// Whether the answer is a stream of server-sent events.
  let isStream: Bool

  static let waitSecondsMax = 60
  /// The longest wait in milliseconds: a request must be answered within 60 s of its arrival.
  private static let waitMax = 58_000

  /// - Parameter namespace: That of the reader's key.
  /// - Throws: 400 for a parameter that is not valid.
  init(_ request: HTTPRequest, namespace: String? = nil) throws(ProblemDocument) {
    let accept = request.headers[.accept] ?? ""
    isStream = accept.contains("text/event-stream") && request.method == .get
    let text = request.queryValue("after")
    let after = try FeedQuery.number(text, "after", 0...Int.max, or: 0)
    // A browser that reconnects sends the id it has received last, and the URL of the beginning.
    let header = isStream ? request.headers[.lastEventID] ?? "" : ""
    let last = header.isEmpty ? nil : try FeedEventID(header: header)
    epoch = last?.epoch ?? request.queryValue("epoch")
    isContinued = last != nil
    hasPosition = isContinued || text != nil
    let limit = try FeedQuery.number(
      request.queryValue("limit"), "limit", 1...FeedRequest.countMax, or: 500)
    let seconds = try FeedQuery.number(
      request.queryValue("waitSeconds"), "waitSeconds", 0...FeedQuery.waitSecondsMax, or: 0)
    waitMilliseconds = request.method == .head ? 0 : min(seconds * 1000, FeedQuery.waitMax)
    self.request = FeedRequest(
      after: last?.position ?? after, types: try FeedQuery.types(request.queryValue("types")),
      namespace: namespace, countMax: limit)
  }

  private static func number(
    _ text: String?, _ name: String, _ range: ClosedRange<Int>, or standard: Int
  ) throws(ProblemDocument) -> Int {
    guard let text else { return standard }
    guard let number = Int(text), range.contains(number) else {
      let end = range.upperBound == .max ? "or greater" : "to \(range.upperBound)"
      throw .badRequest("\(name) must be a number, \(range.lowerBound) \(end)")
    }
    return number
  }

  private static func types(_ text: String?) throws(ProblemDocument) -> [String]? {
    guard let text else { return nil }
    let types = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let known = FeedEventType.allCases.map(\.rawValue)
    guard types.count <= known.count, types.allSatisfy(known.contains) else {
      throw .badRequest(
        "types must be a list, separated by commas, of " + known.joined(separator: ", "))
    }
    return types
  }
}

/// The `id` of a server-sent event of the feed: the epoch, a colon, the position.
struct FeedEventID: Hashable, Sendable, CustomStringConvertible {
  /// `nil` for the epoch that the feed has now.
  let epoch: String?
  let position: Int

  var description: String { (epoch.map { "\($0):" } ?? "") + "\(position)" }
}

extension FeedEventID {
  /// Parses `Last-Event-ID`, which may also be a position alone.
  ///
  /// - Throws: 400
  init(header text: String) throws(ProblemDocument) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let number = parts.last, let position = Int(number), position >= 0 else {
      throw .badRequest(
        "Last-Event-ID must be the id of an event, or a position, 0 or greater")
    }
    epoch = parts.count == 2 ? String(parts[0]) : nil
    self.position = position
  }
}
