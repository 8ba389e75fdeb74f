import CWebSocketLoop
import Synchronization

/// Counts the connections of all loops that share it, in total and per network, and the memory that
/// is reserved for the connections of a network.
package final class ConnectionCount: Sendable {
  /// What memory is reserved for: bodies that are being received, or what peers have not read.
  enum Purpose { case bodies, unsent }

  private struct Network {
    var connectionCount = 0
    var bodyBytes = 0
    var unsentBytes = 0
  }

  private struct State {
    var connectionCount = 0
    var connectionsMax: Int
    var networks: [UInt64: Network] = [:]
  }

  private let state: Mutex<State>
  private let addressConnectionsMax: Int
  private let hasBackendListener: Bool
  /// The connections that clients leave to the backend, at most a quarter of all.
  private static let backendConnections = 64

  package init(
    connectionsMax: Int, addressConnectionsMax: Int, hasBackendListener: Bool = false
  ) {
    state = Mutex(State(connectionsMax: connectionsMax))
    self.addressConnectionsMax = addressConnectionsMax
    self.hasBackendListener = hasBackendListener
  }

  var isEmpty: Bool { state.withLock { $0.connectionCount == 0 } }

  func limit(to connectionsMax: Int) {
    state.withLock { $0.connectionsMax = min($0.connectionsMax, connectionsMax) }
  }

  enum Admission { case admitted, tooMany, tooManyOfNetwork }

  /// - Parameter isClient: `false` for what the backend's listener, or another node, has accepted:
  ///   what strangers do at the public listener does not keep it out.
  func begin(_ network: UInt64, isClient: Bool) -> Admission {
    state.withLock { state in
      let count = state.networks[network]?.connectionCount ?? 0
      let most = isClient ? clientsMax(state) : state.connectionsMax
      if state.connectionCount >= most { return .tooMany }
      if network != ConnectionCount.exempt, isClient, count >= addressConnectionsMax {
        return .tooManyOfNetwork
      }
      state.connectionCount += 1
      state.networks[network, default: Network()].connectionCount += 1
      return .admitted
    }
  }

  /// Whether there are more connections than clients may have, that of this one included: another
  /// node has relayed it, and now it is known to be a client's.
  var isOverClientsMax: Bool { state.withLock { $0.connectionCount > clientsMax($0) } }

  /// The connections up to which clients get further ones.
  private func clientsMax(_ state: State) -> Int {
    let kept = hasBackendListener ? ConnectionCount.backendConnections : 0
    return state.connectionsMax - min(kept, state.connectionsMax / 4)
  }

  func end(_ network: UInt64) {
    state.withLock { state in
      state.connectionCount -= 1
      ConnectionCount.leave(network, &state.networks)
    }
  }

  /// Counts a connection for another network. Returns false if that has too many.
  func move(from: UInt64, to: UInt64) -> Bool {
    state.withLock { state in
      let count = state.networks[to]?.connectionCount ?? 0
      guard to == ConnectionCount.exempt || count < addressConnectionsMax else { return false }
      guard from != to else { return true }
      ConnectionCount.leave(from, &state.networks)
      state.networks[to, default: Network()].connectionCount += 1
      return true
    }
  }

  private static let exempt = UInt64(WSL_EXEMPT_NETWORK)

  private static func leave(_ network: UInt64, _ networks: inout [UInt64: Network]) {
    networks[network]?.connectionCount -= 1
    if networks[network]?.connectionCount == 0 { networks[network] = nil }
  }

  /// Reserves bytes for a connection of a network, in addition to `reserved`. Returns false if its
  /// connections would have more than `most`; one of them may, if the others have none.
  func reserve(
    _ byteCount: Int, of purpose: Purpose, _ network: UInt64, reserved: Int = 0, most: Int
  ) -> Bool {
    guard byteCount > 0, network != ConnectionCount.exempt else { return true }
    let path = ConnectionCount.path(purpose)
    return state.withLock { state in
      guard let before = state.networks[network]?[keyPath: path] else { return true }
      guard before <= reserved || before + byteCount <= most else { return false }
      state.networks[network]?[keyPath: path] += byteCount
      return true
    }
  }

  func release(_ byteCount: Int, of purpose: Purpose, _ network: UInt64) {
    guard byteCount > 0, network != ConnectionCount.exempt else { return }
    let path = ConnectionCount.path(purpose)
    state.withLock { state in
      guard let before = state.networks[network]?[keyPath: path] else { return }
      state.networks[network]?[keyPath: path] = max(0, before - byteCount)
    }
  }

  private static func path(_ purpose: Purpose) -> WritableKeyPath<Network, Int> {
    switch purpose {
    case .bodies: \.bodyBytes
    case .unsent: \.unsentBytes
    }
  }
}
