import CivilTime
import Machine
import PickerServer
import PickerSession

/// A key to be added.
struct NewKey {
  var id: String
  var scopes: Set<KeyScope>
  var notAfter: Instant?
  var networks: [String] = []
  var namespace: String?
  /// Needed with the scope `tokens`.
  var algorithm: TokenAlgorithm?
  /// The PEM of the host's public key, for ES256 and EdDSA.
  var publicKey: String?
}

extension HostKey {
  /// - Parameter isSent: Whether requests carry the secret. Then its digest is stored.
  init(
    _ new: NewKey, secret: String, isSent: Bool
  ) throws(KeyFileProblem) {
    guard HostKey.isID(new.id) else {
      throw KeyFileProblem(
        "\(new.id) is not an id: use 1 to \(HostKey.idCharactersMax) letters, digits, - or _")
    }
    guard !new.scopes.isEmpty else { throw KeyFileProblem("a key needs a scope") }
    let ranges = new.networks.compactMap { AddressRange($0) }
    guard ranges.count == new.networks.count else {
      throw KeyFileProblem("networks must be addresses or ranges such as 10.0.0.0/8 or fd00::/8")
    }
    guard new.namespace.map(HostKey.isID) ?? true else {
      throw KeyFileProblem(
        "\(new.namespace ?? "") is not a namespace: use 1 to \(HostKey.idCharactersMax) letters, "
          + "digits, - or _")
    }
    self.init(
      id: new.id, secret: isSent ? SecretHash(SHA256.digest(Array(secret.utf8))) : nil,
      scopes: new.scopes, notAfter: new.notAfter, networks: new.networks, ranges: ranges,
      namespace: new.namespace, signing: try new.signing(secret: secret))
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
