import Foundation
import PickerHub
import PickerSession
import SessionLog
import WebSocketTransport

/// The log of a server: in memory, or in a file whose thread speaks to the hub through the loop.
final class ServerStore {
  let log: any SessionLog
  private let file: SQLiteSessionLog?
  private let mailbox: StoreMailbox

  /// - Throws: ``StoreProblem`` if the file cannot be used.
  init(
    _ location: StoreLocation, _ limits: SessionLimits, zones: ZoneDatabase,
    log serverLog: ServerLog
  ) throws(StoreProblem) {
    let mailbox = StoreMailbox()
    self.mailbox = mailbox
    switch location {
    case .memory:
      let queue = DispatchQueue(label: "pickerd.store.reading")
      log = MemorySessionLog { work in
        queue.async { mailbox.post(.run(work())) }
      }
      file = nil
    case .sqlite(let path):
      try ServerStore.makeFolder(of: path)
      let file = try SQLiteSessionLog(
        path: path, limits: limits, zone: { zones.rules(named: $0) },
        turn: { mailbox.post(.run($0)) },
        notify: { notice in
          if case .said(let sentence) = notice { serverLog.warning(sentence) }
          mailbox.post(notice)
        })
      self.file = file
      log = file
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

  /// Gives the hub what the file keeps, and from now on what the store says.
  func connect(to transport: HubTransport) {
    nonisolated(unsafe) let connected = transport
    mailbox.connect { notice in
      connected.loop.post { connected.hear(notice) }
    }
    guard let file else { return }
    transport.hub.restore(file.restored, at: transport.now)
  }

  /// Why nothing can be stored now; `nil` while all is well.
  var failure: String? { file?.failure }

  /// Transactions since the start; `nil` without a file.
  var batchCount: Int? { file?.batchCount }

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
    case .run(let work): work()
    case .said: return
    }
    rearm()
  }
}
