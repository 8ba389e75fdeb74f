#if canImport(Darwin)
  import Foundation

  /// WebSockets of the system, `ws` and `wss`, with its proxies and trust.
  public struct URLSessionTransport: SocketTransport {
    private let session: URLSession

    public init(_ session: URLSession = .shared) { self.session = session }

    public func dial(_ address: SessionAddress) -> any ClientSocket {
      URLSessionSocket(address, session)
    }
  }

  extension SocketTransport where Self == URLSessionTransport {
    /// The platform's own.
    public static var platform: URLSessionTransport { URLSessionTransport() }
  }

  private final class URLSessionSocket: NSObject, ClientSocket, URLSessionWebSocketDelegate {
    let events: AsyncStream<SocketEvent>
    private let continuation: AsyncStream<SocketEvent>.Continuation
    private let task: URLSessionWebSocketTask

    init(_ address: SessionAddress, _ session: URLSession) {
      (events, continuation) = AsyncStream.makeStream(of: SocketEvent.self)
      var request = URLRequest(url: URL(string: address.socketURL)!)
      request.setValue("pickerd.v1", forHTTPHeaderField: "Sec-WebSocket-Protocol")
      task = session.webSocketTask(with: request)
      super.init()
      // A snapshot of a large picker is longer than the system's 1 MiB.
      task.maximumMessageSize = 16 << 20
      task.delegate = self
      task.resume()
      receive()
    }

    func send(_ text: String) { task.send(.string(text)) { _ in } }

    func close() { task.cancel(with: .normalClosure, reason: nil) }

    func urlSession(
      _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
      didOpenWithProtocol name: String?
    ) { continuation.yield(.opened) }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) { finish() }

    private func receive() {
      task.receive { [weak self] result in
        guard let self else { return }
        switch result {
        case .success(.string(let text)):
          continuation.yield(.message(Array(text.utf8)))
          receive()
        case .success: receive()
        case .failure: finish()
        }
      }
    }

    private func finish() {
      let code = task.closeCode == .invalid ? 1006 : task.closeCode.rawValue
      continuation.yield(.closed(code: code))
      continuation.finish()
    }
  }
#endif
