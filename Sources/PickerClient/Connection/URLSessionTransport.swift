#if canImport(Darwin)
  public import Foundation
  import Synchronization

  /// The transport on Apple platforms: `ws` and `wss` with `URLSession`, its proxies and its trust
  /// settings.
  public struct URLSessionTransport: SocketTransport {
    private let session: URLSession

    public init(_ session: URLSession = .shared) { self.session = session }

    public func dial(_ address: SessionAddress) -> any ClientSocket {
      URLSessionSocket(address, session)
    }
  }

  extension SocketTransport where Self == URLSessionTransport {
    /// The default transport of this platform.
    public static var platform: URLSessionTransport { URLSessionTransport() }
  }

  private final class URLSessionSocket: NSObject, ClientSocket, URLSessionWebSocketDelegate {
    /// The same maximum as in the libwebsockets transport. A snapshot of many long columns has a
    /// few megabytes.
    private static let messageBytesMax = 16 << 20

    let events: AsyncStream<SocketEvent>
    private let continuation: AsyncStream<SocketEvent>.Continuation
    private let task: URLSessionWebSocketTask
    private let outgoing = Mutex(Outgoing())

    private struct Outgoing {
      var count = 0
      var isClosing = false
    }

    init(_ address: SessionAddress, _ session: URLSession) {
      (events, continuation) = AsyncStream.makeStream(of: SocketEvent.self)
      // Cannot be nil: an address contains only printable ASCII.
      let url = URL(string: address.socketURL)!
      task = session.webSocketTask(with: url, protocols: ["pickerd.v1"])
      super.init()
      task.maximumMessageSize = Self.messageBytesMax
      task.delegate = self
      task.resume()
      receive()
    }

    func send(_ text: String) {
      let isClosing = outgoing.withLock { outgoing in
        if !outgoing.isClosing { outgoing.count += 1 }
        return outgoing.isClosing
      }
      guard !isClosing else { return }
      task.send(.string(text)) { [self] _ in
        let isLast = outgoing.withLock { outgoing in
          outgoing.count -= 1
          return outgoing.isClosing && outgoing.count == 0
        }
        if isLast { task.cancel(with: .normalClosure, reason: nil) }
      }
    }

    /// Waits for pending messages first, because cancelling a task can discard them.
    func close() {
      let isNow = outgoing.withLock { outgoing in
        defer { outgoing.isClosing = true }
        return !outgoing.isClosing && outgoing.count == 0
      }
      if isNow { task.cancel(with: .normalClosure, reason: nil) }
    }

    func urlSession(
      _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
      didOpenWithProtocol name: String?
    ) { continuation.yield(.opened) }

    func urlSession(
      _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
      didCloseWith code: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) { finish(nil) }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) { finish(error) }

    private func receive() {
      task.receive { [weak self] result in
        guard let self else { return }
        switch result {
        case .success(.string(let text)):
          continuation.yield(.message(Array(text.utf8)))
          receive()
        case .success: receive()
        case .failure(let error): finish(error)
        }
      }
    }

    /// Usually called more than once. A finished stream ignores further events.
    private func finish(_ error: (any Error)?) {
      let hasCode = task.closeCode != .invalid
      let words = task.closeReason.map { String(decoding: $0, as: UTF8.self) }
      continuation.yield(
        .closed(
          code: hasCode ? task.closeCode.rawValue : 1006,
          reason: words ?? error?.localizedDescription ?? ""))
      continuation.finish()
    }
  }
#endif
