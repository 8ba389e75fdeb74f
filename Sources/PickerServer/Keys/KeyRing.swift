import CivilTime
import CMachine
package import Logging
package import PickerHub
import PickerSession
import Synchronization

/// The keys in force, shared by all loops. Reading the file again replaces all of them at once; if
/// it cannot be used, they stay in force.
package final class KeyRing: TokenVerifier {
  private struct State {
    var keys: [String: HostKey]
    /// The stamp of the file when it was last read, valid or not; `nil` if it could not be read.
    var stamp: RegularFile.Stamp?
  }

  private let path: String
  private let audience: String
  private let log: Logger
  private let now, uptime: @Sendable () -> Int64
  private let state: Mutex<State>
  /// Held while a thread reads the file again; when that was last done for an unknown key.
  private let readAt = Mutex<Int64?>(nil)

  /// The time between two readings for unknown keys, which strangers can send at any rate.
  private static let readingMilliseconds: Int64 = 1000

  /// - Parameters:
  ///   - audience: The required `aud` of member tokens.
  ///   - log: Reports when the file is read again.
  ///   - now: Milliseconds since 1970.
  ///   - uptime: Milliseconds of a monotonic clock.
  /// - Throws: ``KeyFileProblem`` if the file cannot be used.
  package init(
    path: String, audience: String, log: Logger,
    now: @escaping @Sendable () -> Int64 = machine_wall_ms,
    uptime: @escaping @Sendable () -> Int64 = machine_monotonic_ms
  ) throws(KeyFileProblem) {
    self.path = path
    self.audience = audience
    self.log = log
    (self.now, self.uptime) = (now, uptime)
    let (file, stamp) = try KeyFile.read(path)
    state = Mutex(State(keys: KeyRing.byID(file), stamp: stamp))
  }

  private static func byID(_ file: KeyFile) -> [String: HostKey] {
    Dictionary(uniqueKeysWithValues: file.keys.map { ($0.id, $0) })
  }

  package var keyCount: Int { state.withLock { $0.keys.count } }

  /// Reads the file again.
  package func reload() { readAt.withLock { _ in read() } }

  /// Reads the file again if it has changed since it was last read.
  package func reloadIfChanged() {
    readAt.withLock { _ in if hasChanged { read() } }
  }

  private func read() {
    let stamp = RegularFile.stamp(of: path)
    do throws(KeyFileProblem) {
      let (file, stamp) = try KeyFile.read(path)
      state.withLock { $0 = State(keys: KeyRing.byID(file), stamp: stamp) }
      log.notice("the key file \(path) has been read again; it has \(keyCount) keys")
    } catch {
      state.withLock { $0.stamp = stamp }
      log.error("the previous keys remain in effect: \(error.description)")
    }
  }

  private var hasChanged: Bool {
    let stamp = RegularFile.stamp(of: path)
    return state.withLock { $0.stamp != stamp }
  }

  /// The key with an id. If there is none and the file has changed, it is read first, because the
  /// host may use a key that it has just added.
  private func key(_ id: String) -> HostKey? {
    if let key = state.withLock({ $0.keys[id] }) { return key }
    if hasChanged {
      readAt.withLock { last in
        let now = uptime()
        // Another loop may have read it meanwhile.
        guard hasChanged, last.map({ now - $0 >= KeyRing.readingMilliseconds }) ?? true
        else { return }
        last = now
        read()
      }
    }
    return state.withLock { $0.keys[id] }
  }

  /// The key for a presented one; `nil` if it is wrong, expired, or not allowed from this address.
  ///
  /// The comparison of secrets takes constant time.
  func find(_ presented: PresentedKey, from address: PeerAddress?) -> HostKey? {
    let key = key(presented.id)
    let none = SecretHash([UInt8](repeating: 0, count: 32))
    let isRight = (key?.secret ?? none).matches(presented.secret)
    guard let key, isRight, key.secret != nil, key.admits(address),
      !key.isExpired(at: Instant(milliseconds: now()))
    else { return nil }
    return key
  }

  package func verify(_ token: String) throws(TokenProblem) -> MemberToken {
    let now = Instant(milliseconds: now())
    let signed = try SignedToken(token)
    guard let key = key(signed.keyID), let signing = key.signing, !key.isExpired(at: now),
      signing.algorithm.rawValue == signed.algorithm,
      signing.verifies(signed.signature, of: signed.content)
    else { throw .notSigned }
    var token = try MemberToken(claims: signed.payload, audience: audience, now: now)
    token.namespace = key.namespace
    return token
  }
}

extension TokenProblem {
  /// The same for every problem before the signature is verified.
  static let notSigned = TokenProblem(
    "the token is not signed by a key of this server with the scope tokens")
}
