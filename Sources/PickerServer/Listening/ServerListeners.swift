import Glibc
import WebSocketTransport

/// The listeners of a server. The first loop accepts the connections of all loops.
struct ServerListeners {
  private struct Opened {
    let audience: Listening.Audience
    let url: String
    /// The port, with TLS.
    let securePort: UInt16?
  }

  private let loop: SocketLoop
  private let hasCertificate: Bool
  private var inherited: InheritedSockets
  private var opened: [Opened] = []
  private(set) var unixListeners: [UnixListener] = []

  /// - Throws: ``SocketLoopProblem`` if one of them cannot be opened.
  init(
    _ configuration: ServerConfiguration, on loop: SocketLoop, environment: [String: String]
  ) throws(SocketLoopProblem) {
    self.loop = loop
    hasCertificate = configuration.tls != nil
    inherited = InheritedSockets(environment: environment, process: getpid())
    for address in configuration.listen { try open(address, for: .clients) }
    for address in configuration.apiListen { try open(address, for: .backend) }
    if let node = configuration.nodeListen {
      _ = try loop.listen(
        host: node.host, port: UInt16(node.port), Listening(isRelayed: true))
    }
    for address in configuration.adminListen { try open(address, for: .operators) }
    for address in configuration.redirectHTTP { try open(address, for: .redirected) }
    try inherited.checkAllTaken()
  }

  /// The URLs of an audience's listeners: `http://127.0.0.1:7681`, `unix:/run/pickerd/web`.
  func urls(for audience: Listening.Audience) -> [String] {
    opened.filter { $0.audience == audience }.map(\.url)
  }

  /// The port of https; `nil` if no public listener has TLS.
  var securePort: UInt16? { opened.compactMap(\.securePort).first }

  private mutating func open(
    _ address: ListenAddress, for audience: Listening.Audience
  ) throws(SocketLoopProblem) {
    var listening = Listening(
      audience, isTLS: address.hasTLS || (hasCertificate && audience == .clients),
      isProxied: address.isProxied)
    switch address.socket {
    case .tcp(let tcp):
      let port = try loop.listen(host: tcp.host, port: UInt16(tcp.port), listening)
      note(TCPAddress(host: tcp.host, port: Int(port), isIPv6: tcp.isIPv6), listening)
    case .unix(let path):
      let listener = try UnixListener(path: path)
      unixListeners.append(listener)
      // The peer is a proxy or a program on the same machine.
      listening.isTLS = false
      try loop.listen(on: listener.descriptor, listening)
      note(path: path, listening)
    case .systemd(let name):
      listening.isInherited = true
      for descriptor in try inherited.take(name) { try open(descriptor, listening) }
    }
  }

  private mutating func open(
    _ descriptor: CInt, _ listening: Listening
  ) throws(SocketLoopProblem) {
    var listening = listening
    let address = SocketAddress(of: descriptor)
    if let tcp = address?.tcp {
      note(tcp, listening)
    } else {
      listening.isTLS = false
      note(path: address?.path ?? "", listening)
    }
    try loop.listen(on: descriptor, listening)
  }

  private mutating func note(_ address: TCPAddress, _ listening: Listening) {
    opened.append(
      Opened(
        audience: listening.audience, url: "http\(listening.isTLS ? "s" : "")://\(address)",
        securePort: listening.isTLS && listening.audience == .clients
          ? UInt16(address.port) : nil))
  }

  private mutating func note(path: String, _ listening: Listening) {
    opened.append(Opened(audience: listening.audience, url: "unix:\(path)", securePort: nil))
  }
}
