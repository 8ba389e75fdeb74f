import CMachine
import Foundation
import JSONText
import Logging
import Machine
import PickerHub
import PickerSession
import PickerWire
import SessionLog
import WebSocketTransport

/// The session store of a server: one in-memory log per loop, or one durable store for all loops.
///
/// A durable store has its own threads; its notices are delivered to each hub on the thread of its
/// loop.
final class ServerStore: Sendable {
  private let durable: SQLSessionLog?
  private let memoryFeed: MemoryFeed
  private let memoryShared: MemorySharedDefinitions
  private let sessionMemory: ShardedSessionMemory
  let sharedRates = SharedRates()
  let feedReaders: FeedReaders
  private let logByteCountMax: Int
  private let nodeAddress: TCPAddress?
  private let mailboxes: [StoreMailbox]
  /// Runs requests for whole in-memory logs.
  private let reading = DispatchQueue(label: "pickerd.store.reading")

  /// - Parameters:
  ///   - memory: Counts definitions, and logs in memory.
  ///   - nodeAddress: Where other nodes reach this one.
  ///   - removesOldestKey: Whether a new idempotency key replaces the oldest one.
  ///   - unusedSeconds: How long a shared definition exists that no session uses; `nil`: until it
  ///     is deleted.
  /// - Throws: ``StoreProblem`` if the file cannot be opened.
  init(
    _ location: StoreLocation, _ limits: ServerLimits, _ settings: LimitSettings, loopCount: Int,
    memory: ShardedSessionMemory, nodeAddress: TCPAddress?, removesOldestKey: Bool,
    unusedSeconds: Int?,
    zones: ZoneDatabase, log logger: Logger
  ) throws(StoreProblem) {
    let mailboxes = (0..<loopCount).map { _ in StoreMailbox() }
    self.mailboxes = mailboxes
    logByteCountMax = limits.session.logBytes
    self.nodeAddress = nodeAddress
    memoryFeed = MemoryFeed(
      epoch: Hexadecimal.encode(SecureRandom.bytes(16)), limits: FeedLimits(settings),
      digest: SHA256.digest, now: machine_wall_ms)
    memoryShared = MemorySharedDefinitions(
      feed: memoryFeed, memory: memory, unusedSeconds: unusedSeconds,
      now: machine_wall_ms, inventoryClock: ServerStore.inventoryClock(mailboxes)
    ) { mailboxes.post(.shared($0)) }
    sessionMemory = memory
    feedReaders = FeedReaders()
    let keyCountMax = removesOldestKey ? settings[.sessions] : nil
    durable = try ServerStore.open(
      location, limits, settings, memory, nodeAddress, keyCountMax: keyCountMax, unusedSeconds,
      zones, mailboxes, logger)
  }

  private static func inventoryClock(_ mailboxes: [StoreMailbox]) -> MemoryInventoryClock {
    let queue = DispatchQueue(label: "pickerd.store.inventories")
    return MemoryInventoryClock { time, work in
      queue.asyncAfter(deadline: .now() + time / .seconds(1), execute: work)
    } notify: { name, number in
      mailboxes.post(.inventory(name: name, number: number))
    }
  }

  /// Opens a durable store; `nil` for the memory.
  private static func open(
    _ location: StoreLocation, _ limits: ServerLimits, _ settings: LimitSettings,
    _ memory: ShardedSessionMemory, _ nodeAddress: TCPAddress?, keyCountMax: Int?,
    _ unusedSeconds: Int?, _ zones: ZoneDatabase, _ mailboxes: [StoreMailbox],
    _ logger: Logger
  ) throws(StoreProblem) -> SQLSessionLog? {
    let notify: @Sendable (StoreNotice) -> Void = { notice in
      if case .message(let sentence) = notice { logger.warning("\(sentence)") }
      mailboxes.post(notice)
    }
    var sql = SQLSessionLog.Settings(
      zone: { zones.rules(named: $0) }, digest: SHA256.digest, notify: notify)
    sql.memory = memory
    sql.limits = limits.session
    sql.feedLimits = FeedLimits(settings)
    sql.versions = FoldVersions(tzdata: zones.version)
    sql.pendingByteCountMax = limits.pendingBytes
    sql.storeByteCountMax = limits.storeBytes
    (sql.keyCountMax, sql.unusedSeconds) = (keyCountMax, unusedSeconds)
    sql.nodeAddress = nodeAddress?.description
    sql.afterIteration = SocketLoop.afterIteration
    switch location {
    case .memory: return nil
    case .sqlite(let path):
      try ServerStore.makeFolder(of: path)
      return try waiting(settings[.lockMilliseconds], logger) { () throws(StoreProblem) in
        try SQLSessionLog(file: path, sql)
      }
    case .postgres(let address): return try SQLSessionLog(database: address, sql)
    }
  }

  /// Opens a store when no other server has its lock any more; waits for that at most
  /// `milliseconds`, and not after SIGTERM.
  private static func waiting(
    _ milliseconds: Int, _ logger: Logger,
    _ open: () throws(StoreProblem) -> SQLSessionLog
  ) throws(StoreProblem) -> SQLSessionLog {
    let end = machine_monotonic_ms() + Int64(milliseconds)
    var isWaiting = false
    while true {
      do throws(StoreProblem) {
        return try open()
      } catch {
        guard error.isLocked, machine_monotonic_ms() < end, !Server.isEnding else {
          throw error
        }
      }
      if !isWaiting { logger.notice("waiting until another pickerd releases the store") }
      isWaiting = true
      usleep(20_000)
    }
  }

  /// Finds the nodes that own sessions; `nil` if there is only this one.
  var owners: SessionOwners? {
    guard let durable, isClustered else { return nil }
    return SessionOwners(
      isHere: { durable.owns($0) },
      find: { session, completion in
        durable.owner(of: session) { owner in
          switch owner {
          case .here: completion(.here)
          case .node(let number, let address):
            completion(.node(number, address: address.flatMap(NodeAddress.init(_:))))
          case .unavailable: completion(.unavailable)
          }
        }
      })
  }

  /// The session log to be used by the hub of a loop.
  func log(forLoop index: Int) -> any SessionLog {
    if let durable { return durable }
    let mailbox = mailboxes[index]
    return MemorySessionLog(
      logByteCountMax: logByteCountMax, memory: sessionMemory, feed: memoryFeed,
      shared: memoryShared
    ) { [reading] work in
      reading.async { mailbox.post(.run(SessionID(""), work())) }
    }
  }

  /// Creates the folder of the store if it is the default location; any other folder must exist.
  private static func makeFolder(of path: String) throws(StoreProblem) {
    guard .sqlite(path: path) == StoreLocation.standard else { return }
    let folder = (path as NSString).deletingLastPathComponent
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreProblem("cannot create the folder \(folder): \(error.localizedDescription)")
    }
  }

  /// Restores the stored sessions in their hubs, and starts the delivery of notices. Must be called
  /// before the loops run.
  func connect(to group: LoopGroup) {
    for (index, mailbox) in mailboxes.enumerated() {
      mailbox.connect { notice in
        group.post(to: index) { transport in
          if case .stopped(let nodes) = notice { transport.loop.endRelays(to: nodes) }
          transport.hub.handle(notice, at: transport.now)
        }
      }
    }
    guard let durable else { return }
    let names = durable.restoredNames
    group.transports.first?.hub.shard.names.use { $0.restore(names.entries, names.keys) }
    for transport in group.transports {
      let hub = transport.hub!
      hub.restore(durable.restored.lazy.filter { hub.shard.has($0.id) }, at: transport.now)
    }
  }

  /// The events of all sessions.
  var feed: any EventFeed { durable?.feed ?? memoryFeed }

  /// The definitions that many sessions use.
  var shared: any SharedDefinitions { durable ?? memoryShared }

  /// The reason why the store cannot be written; `nil` while the store is healthy.
  var failure: String? { durable?.failure }

  /// Calls `reply`, unless the store is stuck.
  func answer(_ reply: @escaping @Sendable () -> Void) {
    if let durable { durable.answer(reply) } else { reply() }
  }

  /// Calls `reply` when the store has tried to write what it was given before.
  func afterWriting(_ reply: @escaping @Sendable () -> Void) {
    if let durable { durable.afterWriting(reply) } else { reply() }
  }

  /// The sessions of all nodes of a database; `nil`: the hubs know all sessions.
  var sessionCount: Int? { durable?.clusterCount?.sessions }

  /// Whether other processes own sessions of the same database.
  var isClustered: Bool { durable?.isClustered ?? false }

  /// The key of the tickets; `nil` for the memory: this process makes one.
  var ticketKey: [UInt8]? { durable?.ticketKey }

  /// Transactions since the start; `nil` for the memory.
  var batchCount: Int? { durable?.batchCount }

  /// Durations and sizes of batches; `nil` for the memory.
  var figures: StoreFigures? { durable?.figures }

  /// Log lines about the store for the start of the server.
  var notes: [String] {
    guard let durable else { return [] }
    // A node of several restores nothing at its start.
    let sessions = durable.isClustered ? "" : counted(durable.restored.count, "session") + " in "
    var notes = ["store: \(sessions)\(durable.location)"]
    if let number = durable.node {
      let place = nodeAddress.map { "which the others reach at \($0)" } ?? "without --node-listen"
      notes.append("store: this is node \(number), \(place)")
    }
    if durable.hasLostHistory {
      notes.append(
        "store: older than the state served before, as after a restore; every session has a new "
          + "epoch")
    }
    return notes
  }

  /// The living nodes of a cluster's database; `nil`: there is only this one.
  var nodeCount: Int? { durable?.nodeCount }

  /// Stores all accepted records, and gives up the sessions of a cluster's database, so that other
  /// nodes can serve them. Returns at once.
  func giveUp() { durable?.giveUp() }

  /// A manual clock was set, in milliseconds since 1970.
  func clockSet(to now: Int64) {
    durable?.clockSet(to: now)
    memoryShared.clockSet(to: now)
  }

  /// Stores all accepted records, and gives up the sessions of a cluster's database.
  func close() { durable?.close() }
}
