import Machine
import PickerServer

/// Adding and revoking keys.
extension KeyFile {
  /// Adds a key with a new random secret.
  ///
  /// - Returns: The key as its holder sends it, `pk_ID.SECRET`; `nil` if it has no secret, because
  ///   it only signs tokens with a private key that the host has.
  mutating func add(_ new: NewKey) throws(KeyFileProblem) -> String? {
    guard !keys.contains(where: { $0.id == new.id }) else {
      throw KeyFileProblem("there is a key \(new.id) already; revoke it, or choose another id")
    }
    guard keys.count < KeyFile.keysMax else {
      throw KeyFileProblem("the file has the maximum of \(KeyFile.keysMax) keys")
    }
    let secret = Base64URL.encode(SecureRandom.bytes(32))
    let isSent = new.scopes != [.tokens]
    let key = try HostKey(new, secret: secret, isSent: isSent)
    keys.append(key)
    return isSent || new.algorithm == .hs256 ? "\(PresentedKey.prefix)\(new.id).\(secret)" : nil
  }

  /// The key with which the tokens of `kid` are verified.
  func signingKey(_ id: String) throws(KeyFileProblem) -> TokenKey {
    guard let signing = keys.first(where: { $0.id == id })?.signing else {
      throw KeyFileProblem("there is no key \(id) with the scope tokens")
    }
    return signing
  }

  /// Removes a key.
  mutating func revoke(_ id: String) throws(KeyFileProblem) {
    guard let index = keys.firstIndex(where: { $0.id == id }) else {
      throw KeyFileProblem("there is no key \(id)")
    }
    keys.remove(at: index)
  }
}
