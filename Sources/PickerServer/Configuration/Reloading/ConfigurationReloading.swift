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
  private let inForce: Mutex<ServerConfiguration>

  init(
    _ loader: ConfigurationLoader, inForce: ServerConfiguration, group: LoopGroup,
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
  var settings: ServerConfiguration { inForce.withLock { $0 } }
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
    let old = settings
    let adopted = old.adopting(new.settings)
    do throws(ConfigurationProblem) {
      // Also if its files have the same names.
      if let certificate = try adopted.tls?.load() {
        // The first loop accepts the connections of all loops.
        group.post(to: 0) { $0.loop.use(certificate) }
        certificate.report(to: log)
      }
    } catch {
      throw ConfigurationProblems([error])
    }
    gate.change(adopted.limits)
    let limits = ServerLimits(adopted.limits)
    for index in group.transports.indices { group.post(to: index) { $0.hub.change(limits) } }
    inForce.withLock { $0 = adopted }
    report(from: old, to: adopted, of: new)
  }

  /// Logs what has changed, and what changes with a restart.
  private func report(
    from old: ServerConfiguration, to adopted: ServerConfiguration, of new: LoadedConfiguration
  ) {
    var applied: [String] = []
    var postponed: [String] = []
    func compare(
      _ name: String, _ source: SettingSource, _ value: (ServerConfiguration) -> String
    ) {
      let (before, after) = (value(old), value(new.settings))
      if before == after { return }
      if value(adopted) == after {
        applied.append("\(name) is now \(after), was \(before) (\(source))")
      } else {
        postponed.append(name)
      }
    }
    for setting in Setting.allCases where setting != .limit {
      compare(setting.rawValue, new.source(of: setting)) { configuration in
        let values = setting.row.values(configuration)
        return values.isEmpty ? "the default" : values.joined(separator: ", ")
      }
    }
    for limit in ServerLimit.allCases {
      compare(limit.rawValue, new.source(of: limit)) { "\($0.limits[limit])" }
    }
    for sentence in applied { log.notice("SIGHUP: \(sentence)") }
    if !postponed.isEmpty {
      log.warning("SIGHUP: restart pickerd to change \(postponed.joined(separator: ", "))")
    }
    if applied.isEmpty && postponed.isEmpty { log.notice("SIGHUP: no setting has changed") }
  }
}

extension ServerConfiguration {
  /// This configuration with those settings of `new` that can change while the server runs. TLS
  /// cannot be turned on or off, because listeners are opened at the start only.
  func adopting(_ new: ServerConfiguration) -> ServerConfiguration {
    var adopted = self
    if tls != nil, new.tls != nil {
      (adopted.tlsCertificate, adopted.tlsKey) = (new.tlsCertificate, new.tlsKey)
    }
    for limit in ServerLimit.allCases where limit.isReloadable {
      adopted.limits[limit] = new.limits[limit]
    }
    return adopted
  }
}
