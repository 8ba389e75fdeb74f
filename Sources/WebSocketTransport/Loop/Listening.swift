import CWebSocketLoop

/// How a listener of a ``SocketLoop`` treats its connections.
package struct Listening: Hashable, Sendable {
  /// Who connects to a listener.
  package enum Audience: Sendable {
    /// Clients of the API and of the page.
    case clients
    /// The application's backend, which uses the parts of the API that members do not.
    case backend
    /// Operators: their connections stay on this loop and are limited separately.
    case operators
    /// Clients that are redirected to https: their connections stay on this loop.
    case redirected
  }

  package var audience: Audience
  package var isTLS: Bool
  /// Whether connections begin with a PROXY protocol header. Only proxies may open them.
  package var isProxied: Bool
  /// Whether connections are those that other nodes relay. They begin with a PROXY protocol header,
  /// and may come from any peer.
  package var isRelayed: Bool
  /// Whether other processes accept connections from the same socket, which therefore is not shut
  /// down when this process stops listening.
  package var isInherited: Bool

  package init(
    _ audience: Audience = .clients, isTLS: Bool = false, isProxied: Bool = false,
    isRelayed: Bool = false, isInherited: Bool = false
  ) {
    self.audience = audience
    self.isTLS = isTLS
    self.isProxied = isProxied
    self.isRelayed = isRelayed
    self.isInherited = isInherited
  }
}

extension wsl_audience {
  init(_ audience: Listening.Audience) {
    switch audience {
    case .clients: self = WSL_PUBLIC
    case .backend: self = WSL_BACKEND
    case .operators: self = WSL_ADMIN
    case .redirected: self = WSL_REDIRECT
    }
  }
}

extension Listening.Audience {
  init(_ audience: wsl_audience) {
    switch audience {
    case WSL_BACKEND: self = .backend
    case WSL_ADMIN: self = .operators
    case WSL_REDIRECT: self = .redirected
    default: self = .clients
    }
  }
}
