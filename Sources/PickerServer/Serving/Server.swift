import CivilTime
import CMachine
import Foundation
package import Logging
import Machine
import PickerHub
import PickerModel
import PickerWire
import SessionLog
import WebSocketTransport

/// The server: creates loops, hubs, store, catalogs and routes from a configuration.
package final class Server {
  private let configuration: ServerConfiguration
  private let group = LoopGroup()
  private let store: ServerStore
  private let reloading: ConfigurationReloading
  /// `nil` without a service manager.
  private let notifier: ServiceNotifier?
  private let listeners: ServerListeners

  /// Opens the store and starts to listen. Connections are accepted by ``run()``.
  ///
  /// - Throws: ``SocketLoopProblem`` if the server cannot listen or libwebsockets cannot be
  ///   initialized; ``StoreProblem`` if the store cannot be opened.
  ///
  /// - Parameters:
  ///   - loader: Reads the configuration again on SIGHUP.
  ///   - log: Receives the server's events; its backend is the caller's choice.
  package init(_ loaded: LoadedConfiguration, loader: ConfigurationLoader, log: Logger) throws {
    let configuration = loaded.settings
    self.configuration = configuration
    let limits = ServerLimits(configuration.limits)
    var parts = try CommonParts(configuration, log)
    store = try ServerStore(
      configuration.store, limits, configuration.limits, loopCount: configuration.loops,
      memory: parts.sessionMemory, nodeAddress: configuration.nodeListen,
      removesOldestKey: parts.gate.keys == nil, unusedSeconds: parts.gate.unusedSeconds,
      zones: parts.zones, log: log)
    if let key = store.ticketKey {
      // Machines have different monotonic clocks.
      parts.gate.tickets = TicketSigner(
        key: key, clock: store.isClustered ? machine_wall_ms : nil)
    }
    var sockets = SocketLoopConfiguration(
      configuration, limits, log, isProxy: { [gate = parts.gate] in gate.proxies.contains($0) })
    sockets.owners = store.owners
    sockets.hasTLS = configuration.tls != nil
    for _ in 0..<configuration.loops {
      let loop = try SocketLoop(sockets)
      // The first loop determines and logs the limit that RLIMIT_NOFILE permits; others use it.
      sockets.connectionsMax = loop.connectionsMax
      Server.add(loop, to: group, configuration, limits, parts, store, log)
    }
    // The first loop accepts connections for all loops.
    let first = group.transports[0].loop
    if let certificate = try configuration.tls?.load() {
      first.use(certificate)
      certificate.report(to: log)
    }
    let environment = ProcessInfo.processInfo.environment
    listeners = try ServerListeners(configuration, on: first, environment: environment)
    if let port = listeners.securePort { parts.redirect.use(port: port) }
    let urls = listeners.urls(for: .clients).joined(separator: ", ")
    notifier = ServiceNotifier(environment: environment)
    reloading = ConfigurationReloading(
      loader, inForce: configuration, group: group, gate: parts.gate, log: log,
      begins: { [notifier] in notifier?.reloading() },
      ends: { [notifier] in notifier?.ready(url: urls) })
    store.connect(to: group)
    log.notice("\(parts.zones.summary)")
    for note in store.notes { log.notice("\(note)") }
    if let folder = configuration.webFolder {
      if !WebFolder.isBundled(folder) {
        log.notice("\(folder) is not bundled: pages load more slowly")
      }
    } else {
      log.warning("no web folder found: serving the API only")
    }
  }

  /// Objects that all loops share.
  private struct CommonParts {
    let zones = ZoneDatabase()
    let texts = LocaleCatalog()
    var gate: RequestGate
    let redirect: HTTPSRedirect
    let sessionTotal = ShardedSessionTotal()
    let sessionMemory: ShardedSessionMemory
    let sessionIndex: ShardedSessionIndex
    /// The initial time of a manual clock; `nil` for the system clock.
    let start: Instant?

    init(_ configuration: ServerConfiguration, _ log: Logger) throws(KeyFileProblem) {
      var keys: KeyRing?
      if case .keys(let file) = configuration.authentication {
        keys = try KeyRing(path: file, audience: configuration.audience, log: log)
      }
      let adminKeys = try configuration.adminKeys.map { file throws(KeyFileProblem) in
        try KeyRing(path: file, audience: configuration.audience, log: log)
      }
      sessionMemory = ShardedSessionMemory(log: log)
      redirect = HTTPSRedirect(to: configuration.publicURL)
      gate = RequestGate(configuration, keys: keys, adminKeys: adminKeys)
      sessionIndex = ShardedSessionIndex(
        keyCountMax: configuration.limits[.sessions], removesOldestKey: keys == nil)
      start =
        configuration.clock == .manual
        ? Instant(milliseconds: machine_wall_ms()) : nil
    }
  }

  /// How the hubs admit members. A file of keys without keys must not open the server.
  private static func authentication(
    _ configuration: ServerConfiguration, _ parts: CommonParts
  ) -> HubConfiguration.Authentication {
    switch configuration.authentication {
    case .open: return .open
    case .token: return .token
    case .keys:
      guard let keys = parts.gate.keys else { preconditionFailure("keys have been read before") }
      return .keys(keys)
    }
  }

  /// Creates the hub and routes of a loop.
  private static func add(
    _ loop: SocketLoop, to group: LoopGroup, _ configuration: ServerConfiguration,
    _ limits: ServerLimits, _ parts: CommonParts, _ store: ServerStore, _ log: Logger
  ) {
    let gate = parts.gate
    var limits = limits
    limits.outboxesBytes /= configuration.loops
    let connectionLog = ConnectionLog(log, loop: group.transports.count, gate: gate)
    if let start = parts.start { store.clockSet(to: start.milliseconds) }
    let transport = HubTransport(
      loop, in: group, clock: SessionClock(manual: parts.start),
      refusal: { request in
        let refusal = gate.refusal(of: request)
        if let refusal { connectionLog.refused(request.head, status: refusal.status) }
        return refusal
      },
      client: { gate.networkBehindProxy(of: $0) },
      problem: { ProblemDocument(status: $0, code: $1, detail: $2).response })
    transport.hub = Hub(
      HubConfiguration(
        authentication: authentication(configuration, parts), limits: limits,
        definitionLimits: DefinitionLimits(),
        calendarName: configuration.calendarName, outlookLink: configuration.outlookLink),
      port: transport, log: store.log(forLoop: transport.index),
      zones: parts.zones, texts: parts.texts,
      identities: IdentitySource(random: SystemRandomNumberGenerator(), digest: SHA256.digest),
      shard: HubShard(
        index: transport.index, of: configuration.loops, total: parts.sessionTotal,
        names: parts.sessionIndex, memory: parts.sessionMemory))
    transport.lookUpRefusal = { head in
      let refusal = gate.lookUpRefusal(of: head)
      if let refusal { connectionLog.refused(head, status: refusal.status) }
      return refusal
    }
    transport.noSession = { gate.chargeLookUp($0) }
    transport.connectionLog = connectionLog.write
    let routes = HubRoutes(
      transport,
      files: StaticFiles(folder: configuration.webFolder, publicURL: configuration.publicURL),
      gate: gate, store: store,
      redirect: parts.redirect)
    transport.routes = routes.respond
    transport.bodyRefusal = routes.refusal
    loop.handler = transport
  }

  /// The URLs of the public listeners.
  package var urls: [String] { listeners.urls(for: .clients) }
  /// The URLs of the admin listeners.
  package var apiURLs: [String] { listeners.urls(for: .backend) }
  package var adminURLs: [String] { listeners.urls(for: .operators) }
  /// The URLs of the listeners that redirect to https.
  package var redirectURLs: [String] { listeners.urls(for: .redirected) }

  /// Serves until SIGTERM or SIGINT, then drains, see ``ServerDrain``. A second signal stops
  /// immediately.
  ///
  /// The caller must have blocked both signals with ``blockSignals()``. The first loop runs on the
  /// calling thread.
  package func run() {
    let (group, notifier, unixListeners) = (self.group, self.notifier, listeners.unixListeners)
    let urls = urls.joined(separator: ", ")
    reloading.start()
    startWatchdog()
    let drain = ServerDrain(
      group: group, store: store, notifier: notifier,
      stoppedListening: { for listener in unixListeners { listener.removeFile() } },
      milliseconds: configuration.limits[.drainMilliseconds])
    Thread.detachNewThread { drain.waitForSignals() }
    group.post(to: 0) { _ in notifier?.ready(url: urls) }
    let others = DispatchGroup()
    for index in group.transports.indices { group.post(to: index) { _ in } }
    for index in group.transports.indices.dropFirst() {
      others.enter()
      let thread = Thread {
        group.transports[index].loop.run()
        others.leave()
      }
      thread.name = "pickerd.loop\(index)"
      // The same size as the main thread's, on which the first loop runs.
      thread.stackSize = 8 << 20
      thread.start()
    }
    group.transports[0].loop.run()
    others.wait()
    for listener in unixListeners { listener.removeFile() }
    store.close()
  }

  /// Pings the service manager while all loops and the store answer, if it expects that.
  private func startWatchdog() {
    let environment = ProcessInfo.processInfo.environment
    guard let notifier,
      let time = ServiceWatchdog.microseconds(environment: environment, process: getpid())
    else { return }
    let loops = group.transports.indices.map { index -> ServiceWatchdog.Part in
      // A loop that has ended needs no answer.
      { [group] answer in if !group.post(to: index, { _ in answer() }) { answer() } }
    }
    let watchdog = ServiceWatchdog(parts: loops + [{ [store] in store.answer($0) }]) {
      notifier.send("WATCHDOG=1")
    }
    watchdog.start(microseconds: time)
  }

  /// Blocks SIGTERM, SIGINT and SIGHUP, which ``run()`` handles. Must be called before any thread
  /// is created, because threads inherit the signal mask.
  package static func blockSignals() {
    var signals = endingSignals
    sigaddset(&signals, SIGHUP)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
    // Exceeding a file size limit must fail the write (EFBIG), not end the process.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Whether a signal that ends the server is pending.
  static var isEnding: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1
  }

  static var endingSignals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    return signals
  }
}
