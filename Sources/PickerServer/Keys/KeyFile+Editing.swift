package import CivilTime
import Glibc
import PickerSession
import WebSocketTransport

/// A key to be added.
package struct NewKey {
  package var id: String
  package var scopes: Set<KeyScope>
  package var notAfter: Instant?
  package var networks: [String] = []
  /// Needed with the scope `tokens`.
  package var algorithm: TokenAlgorithm?
  /// The PEM of the host's public key, for ES256 and EdDSA.
  package var publicKey: String?

  package init(id: String, scopes: Set<KeyScope>) {
    self.id = id
    self.scopes = scopes
  }
}

extension KeyFile {
  /// Adds a key with a new random secret.
  ///
  /// - Returns: The key as its holder sends it, `pk_ID.SECRET`; `nil` if it has no secret, because
  ///   it only signs tokens with a private key that the host has.
  package mutating func add(_ new: NewKey) throws(KeyFileProblem) -> String? {
    guard !keys.contains(where: { $0.id == new.id }) else {
      throw KeyFileProblem("there is a key \(new.id) already; revoke it, or choose another id")
    }
    guard keys.count < KeyFile.keysMax else {
      throw KeyFileProblem("the file has the maximum of \(KeyFile.keysMax) keys")
    }
    let secret = Base64URL.encode(SocketLoop.randomBytes(32))
    let isSent = new.scopes != [.tokens]
    let key = try HostKey(new, secret: secret, isSent: isSent)
    keys.append(key)
    return isSent || new.algorithm == .hs256 ? "\(PresentedKey.prefix)\(new.id).\(secret)" : nil
  }

  /// The key with which the tokens of `kid` are verified.
  package func signingKey(_ id: String) throws(KeyFileProblem) -> TokenKey {
    guard let signing = keys.first(where: { $0.id == id })?.signing else {
      throw KeyFileProblem("there is no key \(id) with the scope tokens")
    }
    return signing
  }

  /// Removes a key.
  package mutating func revoke(_ id: String) throws(KeyFileProblem) {
    guard let index = keys.firstIndex(where: { $0.id == id }) else {
      throw KeyFileProblem("there is no key \(id)")
    }
    keys.remove(at: index)
  }

  /// Reads a file, changes its keys, and replaces it as a whole, with mode 0600. A file that does
  /// not exist is created if `creates`.
  ///
  /// The new content is first written to `PATH.new`, which also prevents two changes at a time. A
  /// new file is YAML if its name ends with `.yaml` or `.yml`, and JSON otherwise. A YAML file is
  /// changed line by line, with all its comments.
  ///
  /// - Parameter note: Called with what has been changed in a YAML file.
  package static func change<Value>(
    _ path: String, creates: Bool, note: (String) -> Void = { _ in },
    _ body: (inout KeyFile) throws(KeyFileProblem) -> Value
  ) throws(KeyFileProblem) -> Value {
    let path = RegularFile.resolved(path) ?? path
    let scratch = path + ".new"
    let descriptor = open(scratch, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw KeyFileProblem(
        errno == EEXIST
          ? "\(scratch) exists: another change is running, or one was interrupted; then remove it"
          : "\(scratch) cannot be created: \(String(cString: strerror(errno)))")
    }
    var isDone = false
    defer {
      close(descriptor)
      if !isDone { unlink(scratch) }
    }
    let exists = access(path, F_OK) == 0
    let old = exists || !creates ? try SecretFile.read(path, byteCountMax: byteCountMax).bytes : nil
    let (value, content) = try SecretFile.naming(path) { () throws(KeyFileProblem) in
      try changed(old ?? empty(path), note: note, body)
    }
    guard fchmod(descriptor, 0o600) == 0, write(content, to: descriptor),
      fsync(descriptor) == 0, rename(scratch, path) == 0
    else {
      throw KeyFileProblem("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
    isDone = true
    flushFolder(of: path)
    return value
  }

  private static func empty(_ path: String) -> [UInt8] {
    path.hasSuffix(".yaml") || path.hasSuffix(".yml") ? KeyFileText.empty : KeyFile().json
  }

  private static func changed<Value>(
    _ content: [UInt8], note: (String) -> Void,
    _ body: (inout KeyFile) throws(KeyFileProblem) -> Value
  ) throws(KeyFileProblem) -> (Value, [UInt8]) {
    let old = try KeyFile(content: content)
    var new = old
    let value = try body(&new)
    return (value, try KeyFileText.changed(content, from: old, to: new, note: note))
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress! + written, bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  /// Makes the rename durable.
  private static func flushFolder(of path: String) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}

extension HostKey {
  /// - Parameters:
  ///   - isSent: Whether the key is used on the wire, so that its digest is needed.
  fileprivate init(
    _ new: NewKey, secret: String, isSent: Bool
  ) throws(KeyFileProblem) {
    guard HostKey.isID(new.id) else {
      throw KeyFileProblem(
        "\(new.id) is not an id: use 1 to \(HostKey.idCharactersMax) letters, digits, - or _")
    }
    guard !new.scopes.isEmpty else { throw KeyFileProblem("a key needs a scope") }
    id = new.id
    scopes = new.scopes
    notAfter = new.notAfter
    networks = new.networks
    ranges = new.networks.compactMap { AddressRange($0) }
    guard ranges.count == networks.count else {
      throw KeyFileProblem("networks must be addresses or ranges such as 10.0.0.0/8 or fd00::/8")
    }
    self.secret = isSent ? SecretHash(SocketLoop.sha256(Array(secret.utf8))) : nil
    signing = try new.signing(secret: secret)
  }
}

extension NewKey {
  fileprivate func signing(secret: String) throws(KeyFileProblem) -> TokenKey? {
    guard scopes.contains(.tokens) else {
      guard algorithm == nil, publicKey == nil else {
        throw KeyFileProblem("an algorithm and a public key need the scope tokens")
      }
      return nil
    }
    switch (algorithm, publicKey) {
    case (.hs256, nil): return .shared(secret: secret)
    case (.hs256, .some): throw KeyFileProblem("HS256 has no public key")
    case (nil, _):
      throw KeyFileProblem("the scope tokens needs an algorithm: HS256, ES256 or EdDSA")
    case (.es256, nil), (.edDSA, nil):
      throw KeyFileProblem("ES256 and EdDSA need the host's public key")
    case (.es256?, let pem?), (.edDSA?, let pem?):
      guard let algorithm, let key = PublicKey(pem: pem, algorithm) else {
        throw KeyFileProblem("the public key is not a PEM of the algorithm's kind of key")
      }
      return .published(key)
    }
  }
}
