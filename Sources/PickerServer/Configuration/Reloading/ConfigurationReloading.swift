import Foundation
import Logging
import Synchronization

/// Reads the configuration and the key files again on SIGHUP, and a key file when it changes, on a
/// thread of its own.
///
/// The key files are compared once a second, because a key that was removed must not be valid for
/// longer. That also notices a file that was replaced, as editors and Kubernetes do.
final class ConfigurationReloading: Sendable {
  private let loader: ConfigurationLoader
  private let parts: [any Reloadable]
  private let keys: [KeyRing]
  private let log: Logger
  /// Called before and after each reload.
  private let begins, ends: @Sendable () -> Void
  private let inForce: Mutex<LoadedConfiguration>

  init(
    _ loader: ConfigurationLoader, inForce: LoadedConfiguration, parts: [any Reloadable],
    keys: [KeyRing], log: Logger, begins: @escaping @Sendable () -> Void = {},
    ends: @escaping @Sendable () -> Void = {}
  ) {
    self.loader = loader
    self.inForce = Mutex(inForce)
    self.parts = parts
    self.keys = keys
    self.log = log
    self.begins = begins
    self.ends = ends
  }

  /// The settings in force.
  var settings: ServerConfiguration { inForce.withLock { $0.settings } }

  /// The caller must have blocked SIGHUP in all threads.
  func start() {
    let thread = Thread { [self] in
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGHUP)
      var second = timespec(tv_sec: 1, tv_nsec: 0)
      while true {
        if sigtimedwait(&signals, nil, &second) == SIGHUP {
          reload()
        } else {
          for ring in keys { ring.reloadIfChanged() }
        }
      }
    }
    thread.name = "pickerd.reload"
    thread.start()
  }

  /// Reads everything again. With a problem all settings keep their values.
  func reload() {
    begins()
    defer { ends() }
    do throws(ConfigurationProblems) {
      // The key files have their own messages.
      try apply(try loader.load(readsKeys: false))
    } catch {
      for problem in error.all {
        log.error("SIGHUP: the previous configuration remains in effect: \(problem.description)")
      }
    }
    for ring in keys { ring.reload() }
  }

  private func apply(_ new: LoadedConfiguration) throws(ConfigurationProblems) {
    let old = inForce.withLock { $0 }
    let changes = ConfigurationChanges(from: old, to: new)
    let adopted = old.adopting(new)
    var steps: [@Sendable () -> Void] = []
    var problems: [ConfigurationProblem] = []
    for part in parts {
      do throws(ConfigurationProblem) {
        steps.append(try part.prepare(adopted.settings))
      } catch {
        problems.append(error)
      }
    }
    guard problems.isEmpty else { throw ConfigurationProblems(problems) }
    for step in steps { step() }
    inForce.withLock { $0 = adopted }
    for sentence in changes.applied { log.notice("SIGHUP: \(sentence)") }
    if !changes.postponed.isEmpty {
      log.warning(
        "SIGHUP: restart pickerd to change \(changes.postponed.joined(separator: ", "))")
    }
    if changes.applied.isEmpty && changes.postponed.isEmpty {
      log.notice("SIGHUP: no setting has changed")
    }
  }
}
