import Foundation
import Logging
import PickerHub
import PickerWire
import Synchronization
import WebSocketTransport

/// Reads the configuration and the key files again on SIGHUP, and a key file when it changes, on a
/// thread of its own.
///
/// The key files are compared once a second, because a key that was removed must not be valid for
/// longer. That also notices a file that was replaced, as editors and Kubernetes do.
final class ConfigurationReloading: Sendable {
  private let loader: ConfigurationLoader
  private let group: LoopGroup
  private let gate: RequestGate
  private let log: Logger
  /// Called before and after each reload.
  private let begins, ends: @Sendable () -> Void
  private let inForce: Mutex<LoadedConfiguration>

  init(
    _ loader: ConfigurationLoader, inForce: LoadedConfiguration, group: LoopGroup,
    gate: RequestGate, log: Logger, begins: @escaping @Sendable () -> Void = {},
    ends: @escaping @Sendable () -> Void = {}
  ) {
    self.loader = loader
    self.inForce = Mutex(inForce)
    self.group = group
    self.gate = gate
    self.log = log
    self.begins = begins
    self.ends = ends
  }

  /// The settings in force.
  var settings: ServerConfiguration { inForce.withLock { $0.settings } }
  private var keys: [KeyRing] { [gate.keys, gate.adminKeys].compactMap(\.self) }

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
    do throws(ConfigurationProblem) {
      // Also if its files have the same names.
      if let certificate = try adopted.settings.tls?.load() {
        // The first loop accepts the connections of all loops.
        group.post(to: 0) { $0.loop.use(certificate) }
        certificate.report(to: log)
      }
    } catch {
      throw ConfigurationProblems([error])
    }
    gate.change(adopted.settings.limits)
    let limits = ServerLimits(adopted.settings.limits)
    for index in group.transports.indices { group.post(to: index) { $0.hub.change(limits) } }
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
