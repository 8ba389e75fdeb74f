import Foundation
import Logging
import PickerHub
import PickerSession
import PickerWire
import SessionLog
import WebSocketTransport

/// Where the sessions of a server are kept: in memory, each loop its own, or in one file for all
/// loops, whose thread speaks to each hub through its loop.
final class ServerStore: Sendable {
  private let file: SQLiteSessionLog?
  private let logByteCountMax: Int
  private let mailboxes: [StoreMailbox]
  /// Folds whole logs in memory again.
  private let reading = DispatchQueue(label: "pickerd.store.reading")

  /// - Throws: ``StoreProblem`` if the file cannot be used.
  init(
    _ location: StoreLocation, _ limits: ServerLimits, loopCount: Int, zones: ZoneDatabase,
    log logger: Logger
  ) throws(StoreProblem) {
    let mailboxes = (0..<loopCount).map { _ in StoreMailbox() }
    self.mailboxes = mailboxes
    logByteCountMax = limits.session.logBytes
    switch location {
    case .memory: file = nil
    case .sqlite(let path):
      try ServerStore.makeFolder(of: path)
      file = try SQLiteSessionLog(
        path: path, limits: limits.session, zone: { zones.rules(named: $0) },
        digest: SocketLoop.sha256, versions: FoldVersions(tzdata: zones.version),
        pendingByteCountMax: limits.pendingBytes,
        turn: { session, work in mailboxes.of(session).post(.run(session, work)) },
        notify: { notice in
          if case .said(let sentence) = notice { logger.warning("\(sentence)") }
          mailboxes.post(notice)
        })
    }
  }

  /// The log for the hub of a loop.
  func log(forLoop index: Int) -> any SessionLog {
    if let file { return file }
    let mailbox = mailboxes[index]
    return MemorySessionLog(logByteCountMax: logByteCountMax) { [reading] work in
      reading.async { mailbox.post(.run(SessionID(""), work())) }
    }
  }

  /// The folder of a store in its usual place is made; any other has to be there.
  private static func makeFolder(of path: String) throws(StoreProblem) {
    guard .sqlite(path: path) == StoreLocation.standard else { return }
    let folder = (path as NSString).deletingLastPathComponent
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreProblem("cannot make the folder \(folder): \(error.localizedDescription)")
    }
  }

  /// Gives each hub those of its sessions that the file keeps, and from now on what the store says.
  func connect(to group: LoopGroup) {
    for (index, mailbox) in mailboxes.enumerated() {
      mailbox.connect { notice in group.post(to: index) { $0.hear(notice) } }
    }
    guard let file else { return }
    for transport in group.transports {
      let hub = transport.hub!
      hub.restore(file.restored.lazy.filter { hub.share.has($0.id) }, at: transport.now)
    }
  }

  /// Why nothing can be stored now; `nil` while all is well.
  var failure: String? { file?.failure }

  /// Transactions since the start; `nil` without a file.
  var batchCount: Int? { file?.batchCount }

  /// How long its batches waited and took; `nil` without a file.
  var figures: StoreFigures? { file?.figures }

  /// What a start has to say about the file.
  var notes: [String] {
    guard let file else { return [] }
    var notes = ["store: \(file.restored.count) sessions in \(file.location)"]
    if file.hasLostHistory {
      notes.append("the store is older than what was served before: every session has a new epoch")
    }
    return notes
  }

  /// Writes out what has been accepted.
  func close() { file?.flush() }
}

extension HubTransport {
  /// Does what the store says, on the loop's thread.
  fileprivate func hear(_ notice: StoreNotice) {
    switch notice {
    case .stored(let counts):
      for (session, count) in counts { hub.stored(count, of: session, at: now) }
    case .lost(let sessions): hub.lost(sessions, at: now)
    case .loaded(let session, let loaded): hub.loaded(session, loaded, at: now)
    case .run(_, let work): work()
    case .said: return
    }
  }
}
