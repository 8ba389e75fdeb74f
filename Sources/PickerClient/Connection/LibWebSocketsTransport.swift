#if os(Linux)
  import CWebSocketClient

  /// The transport on Linux: `ws` and `wss` with libwebsockets and the system's certificate store.
  ///
  /// Each open socket has its own thread.
  public struct LibWebSocketsTransport: SocketTransport {
    public init() {}

    public func dial(_ address: SessionAddress) -> any ClientSocket { LibWebSocket(address) }
  }

  extension SocketTransport where Self == LibWebSocketsTransport {
    /// The default transport of this platform.
    public static var platform: LibWebSocketsTransport { LibWebSocketsTransport() }
  }

  private final class LibWebSocket: ClientSocket {
    let events: AsyncStream<SocketEvent>
    /// `nil` if memory or a thread could not be allocated. The functions of the C library are
    /// thread-safe.
    nonisolated(unsafe) private let socket: OpaquePointer?

    init(_ address: SessionAddress) {
      let (events, continuation) = AsyncStream.makeStream(of: SocketEvent.self)
      self.events = events
      // Released by the `closed` callback, which is the last one.
      let context = Unmanaged.passRetained(CallbackContext(continuation))
      socket = Self.dial(address, context)
      guard socket == nil else { return }
      context.release()
      continuation.yield(.closed(code: 1006, reason: "no memory or thread for a socket"))
      continuation.finish()
    }

    deinit { if let socket { wsc_release(socket) } }

    func send(_ text: String) {
      guard let socket else { return }
      var text = text
      text.withUTF8 { bytes in _ = wsc_send(socket, bytes.baseAddress, bytes.count) }
    }

    func close() { if let socket { wsc_close(socket) } }

    private static func dial(_ address: SessionAddress, _ context: Unmanaged<CallbackContext>)
      -> OpaquePointer?
    {
      var handlers = wsc_handlers(
        opened: { CallbackContext.at($0).yield(.opened) },
        received: {
          CallbackContext.at($0).yield(
            .message(Array(UnsafeRawBufferPointer(start: $1, count: $2))))
        },
        closed: { owner, code, reason, count in
          let text = String(
            decoding: UnsafeRawBufferPointer(start: reason, count: count), as: UTF8.self)
          CallbackContext.at(owner).yield(.closed(code: Int(code), reason: text))
          CallbackContext.at(owner).finish()
          Unmanaged<CallbackContext>.fromOpaque(owner!).release()
        })
      return address.host.withCString { host in
        address.path.withCString { path in
          address.authority.withCString { authority in
            "pickerd.v1".withCString { subprotocol in
              var dialled = wsc_address(
                host: host, port: UInt16(address.port), is_secure: address.isSecure, path: path,
                authority: authority, subprotocol: subprotocol)
              return wsc_dial(&dialled, &handlers, context.toOpaque())
            }
          }
        }
      }
    }
  }

  /// Passes the callbacks of a socket to its stream of events.
  private final class CallbackContext {
    let continuation: AsyncStream<SocketEvent>.Continuation

    init(_ continuation: AsyncStream<SocketEvent>.Continuation) {
      self.continuation = continuation
    }

    static func at(_ owner: UnsafeMutableRawPointer?) -> AsyncStream<SocketEvent>.Continuation {
      Unmanaged<CallbackContext>.fromOpaque(owner!).takeUnretainedValue().continuation
    }
  }
#endif
