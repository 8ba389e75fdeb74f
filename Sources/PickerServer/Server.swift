import CivilTime
import Foundation
import PickerHub
import PickerModel
import PickerWire
import SessionLog
import WebSocketTransport

/// A whole server: loop, hub, log, catalogs and routes, from a configuration.
package final class Server {
  private let configuration: ServerConfiguration
  private let zones: ZoneDatabase
  private let loop: SocketLoop
  private let transport: HubTransport
  private let routes: HubRoutes
  private let store: ServerStore
  /// The port that it listens at.
  package let port: UInt16

  /// Starts to listen; ``run()`` serves.
  ///
  /// - Throws: ``SocketLoopProblem`` if the address cannot be had, or libwebsockets not be started;
  ///   ``StoreProblem`` if the store cannot be used.
  package init(_ configuration: ServerConfiguration) throws {
    self.configuration = configuration
    let zones = ZoneDatabase()
    self.zones = zones
    let log = ServerLog(configuration.logLevel)
    let limits = ServerLimits(configuration.limits)
    let store = try ServerStore(configuration.store, limits.session, zones: zones, log: log)
    self.store = store
    loop = try SocketLoop(SocketLoopConfiguration(configuration, limits, log))
    let transport = HubTransport(
      loop, clock: SessionClock(isManual: configuration.clock == .manual),
      isAllowed: { [origins = configuration.origins] in origins.allows(origin: $0, host: $1) },
      problem: { ProblemDocument(status: $0, code: $1, detail: $2).response })
    self.transport = transport
    transport.hub = Hub(
      HubConfiguration(
        authentication: configuration.authentication == .token ? .token : .open, limits: limits,
        definitionLimits: DefinitionLimits(configuration.limits)),
      port: transport, log: store.log, zones: zones, texts: LocaleCatalog(),
      identities: IdentitySource(random: SystemRandomNumberGenerator(), digest: SocketLoop.sha256))
    let loop = self.loop
    routes = HubRoutes(
      transport, files: StaticFiles(folder: configuration.webFolder),
      origins: configuration.origins,
      metrics: { ServerMetrics.text(transport.hub, loop, store) },
      isReady: { transport.hub.isDraining ? "the server is going away" : store.failure })
    transport.routes = routes.respond
    loop.handler = transport
    port = try loop.listen(
      host: configuration.listen.host, port: UInt16(configuration.listen.port))
    store.connect(to: transport)
    log.notice(zones.summary)
    for note in store.notes { log.notice(note) }
    if configuration.webFolder == nil { log.warning("no web folder found: serving the API only") }
  }

  /// Where the server is, as one opens it in a browser.
  package var url: String {
    let host = configuration.listen.host
    return "http://\(configuration.listen.isIPv6 ? "[\(host)]" : host):\(port)"
  }

  /// Serves until SIGTERM or SIGINT, then tells the members to come back, and ends.
  ///
  /// Both signals must be blocked in all threads by then; see ``blockSignals()``.
  package func run() {
    let loop = self.loop
    let transport = UncheckedSendable(self.transport)
    Thread.detachNewThread {
      var signals = Server.endingSignals
      var signal: Int32 = 0
      sigwait(&signals, &signal)
      loop.post {
        transport.value.hub.drain(at: transport.value.now)
        loop.drain(withinMilliseconds: 5000)
      }
      sigwait(&signals, &signal)
      loop.post { loop.stop() }
    }
    transport.value.rearm()
    loop.run()
    store.close()
  }

  /// Leaves SIGTERM and SIGINT to ``run()``. Call it before any other thread exists.
  package static func blockSignals() {
    var signals = endingSignals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is an error of that write, and no end.
    signal(SIGXFSZ, SIG_IGN)
  }

  private static var endingSignals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    return signals
  }
}

/// Carries what only the loop's thread touches through another thread.
private struct UncheckedSendable<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
