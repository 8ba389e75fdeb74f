/// An HTTP request to be answered, with the loop of its connection. Any loop may answer it.
package struct Caller: Sendable {
  let loop: SocketLoop
  let id: RequestID
  let method: HTTPMethod
  /// The label of its route, see ``ResponseCounts/Key/route``.
  package var route = "other"
  /// Headers that are added to every response to this request.
  package var headers: [HTTPResponse.Header] = []
  /// Whether the response body may be compressed with gzip.
  package var acceptsGzip = false
  /// Whether the response may use chunked transfer coding.
  var acceptsChunks = true

  init(loop: SocketLoop, id: RequestID, _ method: HTTPMethod) {
    self.loop = loop
    self.id = id
    self.method = method
  }
}
