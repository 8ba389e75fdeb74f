import Foundation
import Logging

/// Reads a key file again when it changes and on SIGHUP, on a thread of its own.
///
/// The file is compared once a second, which also notices a file that was replaced, as editors and
/// Kubernetes do.
enum KeyReloading {
  /// The caller must have blocked SIGHUP in all threads.
  static func start(_ keys: KeyRing, log: Logger) {
    let thread = Thread {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGHUP)
      var second = timespec(tv_sec: 1, tv_nsec: 0)
      while true {
        let isAsked = sigtimedwait(&signals, nil, &second) == SIGHUP
        if isAsked || keys.hasChanged { reload(keys, log) }
      }
    }
    thread.name = "pickerd.keys"
    thread.start()
  }

  private static func reload(_ keys: KeyRing, _ log: Logger) {
    do throws(KeyFileProblem) {
      try keys.reload()
      log.notice("the key file has been read again; it has \(keys.keyCount) keys")
    } catch {
      log.error("the keys of before remain in force: \(error.description)")
    }
  }
}
