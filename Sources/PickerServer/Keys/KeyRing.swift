import CivilTime
package import PickerHub
import PickerSession
import Synchronization
import WebSocketTransport

/// The keys in force, shared by all loops. A reload replaces all of them at once.
package final class KeyRing: TokenVerifier {
  private struct State {
    var keys: [String: HostKey]
    /// The stamp of the file when it was last read, valid or not; `nil` if it could not be read.
    var stamp: RegularFile.Stamp?
  }

  let path: String
  private let audience: String
  private let now: @Sendable () -> Int64
  private let state: Mutex<State>

  /// - Parameters:
  ///   - audience: The required `aud` of member tokens.
  ///   - now: Milliseconds since 1970.
  /// - Throws: ``KeyFileProblem`` if the file cannot be used.
  package init(
    path: String, audience: String,
    now: @escaping @Sendable () -> Int64 = SocketLoop.wallMilliseconds
  ) throws(KeyFileProblem) {
    self.path = path
    self.audience = audience
    self.now = now
    let (file, stamp) = try KeyFile.read(path)
    state = Mutex(State(keys: KeyRing.byID(file), stamp: stamp))
  }

  private static func byID(_ file: KeyFile) -> [String: HostKey] {
    Dictionary(uniqueKeysWithValues: file.keys.map { ($0.id, $0) })
  }

  package var keyCount: Int { state.withLock { $0.keys.count } }

  /// Reads the file again.
  ///
  /// - Throws: ``KeyFileProblem`` if it cannot be used; the previous keys stay in force.
  package func reload() throws(KeyFileProblem) {
    let stamp = RegularFile.stamp(of: path)
    do throws(KeyFileProblem) {
      let (file, stamp) = try KeyFile.read(path)
      state.withLock { $0 = State(keys: KeyRing.byID(file), stamp: stamp) }
    } catch {
      state.withLock { $0.stamp = stamp }
      throw error
    }
  }

  /// Whether the file has changed since it was last read.
  package var hasChanged: Bool {
    let stamp = RegularFile.stamp(of: path)
    return state.withLock { $0.stamp != stamp }
  }

  /// The key for a presented one; `nil` if it is wrong, expired, or not allowed from this address.
  ///
  /// The comparison of secrets takes constant time, even if there is no key with the id.
  func find(_ presented: PresentedKey, from address: PeerAddress?) -> HostKey? {
    let key = state.withLock { $0.keys[presented.id] }
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
    let key = state.withLock { $0.keys[signed.keyID] }
    guard let key, let signing = key.signing, !key.isExpired(at: now),
      signing.algorithm.rawValue == signed.algorithm,
      signing.verifies(signed.signature, of: signed.content)
    else { throw .notSigned }
    return try MemberToken(claims: signed.payload, audience: audience, now: now)
  }
}

extension TokenProblem {
  /// The same for every problem before the signature is verified.
  static let notSigned = TokenProblem(
    "the token is not signed by a key of this server with the scope tokens")
}
