import Logging

/// Reads a key file again.
enum KeyReloading {
  static func reload(_ keys: KeyRing, _ log: Logger) {
    do throws(KeyFileProblem) {
      try keys.reload()
      log.notice("the key file \(keys.path) has been read again; it has \(keys.keyCount) keys")
    } catch {
      log.error("the previous keys remain in effect: \(error.description)")
    }
  }
}
