import PickerHub
import PickerSession

/// Entries of other nodes.
extension ServedSessions {
  /// A session whose entries after a position up to another one must be read.
  struct Gap {
    let session: SessionID
    let load: Int
    let position: Int
    let last: Int
    let hub: Int?
  }

  /// - Parameter urgent: The sessions of which all that is committed must be reported now.
  func gaps(catchingUp urgent: Set<SessionID> = []) -> [Gap] {
    behind.compactMap { session in
      guard let served = sessions[session], let position = served.position,
        !served.awaitsOwn || urgent.contains(session)
      else { return nil }
      return Gap(
        session: session, load: served.load, position: position, last: served.head,
        hub: served.hub)
    }
  }

  /// Entries up to `head` are committed, here and on the standbys.
  mutating func noted(_ head: Int, of session: SessionID) {
    guard var served = sessions[session] else { return }
    served.head = max(served.head, head)
    _ = store(served, of: session)
  }

  /// The sessions with known entries, for a comparison with the log.
  var known: [(session: SessionID, position: Int, epoch: String)] {
    sessions.compactMap { session, served in
      guard let position = served.position, let epoch = served.epoch else { return nil }
      return (session, position, epoch)
    }
  }

  var ids: [SessionID] { Array(sessions.keys) }

  func serves(_ session: SessionID) -> Bool { sessions[session] != nil }

  /// Whether another node has the session in memory, as far as is known.
  func isShared(_ session: SessionID) -> Bool { sessions[session]?.isShared ?? false }

  /// Whether this node has the session in memory, and no other one, as far as is known.
  func isOnlyHere(_ session: SessionID) -> Bool {
    sessions[session].map { !$0.isLoading && !$0.isShared } ?? false
  }

  /// Whether a batch changes only rows for which no other node waits.
  func areOnlyHere(_ records: [StoreRecord]) -> Bool {
    records.allSatisfy { record in
      switch record {
      case .log(.entry, let session), .snapshot(_, let session): isOnlyHere(session)
      // All nodes change the rows of the feed and of creations.
      case .log, .feed: false
      }
    }
  }

  /// Another node has the session in memory.
  ///
  /// - Returns: If that was not known, the number of the last entry that is known here: the other
  ///   node may have loaded the session without that entry, and was not notified of it.
  mutating func share(_ session: SessionID, with node: Int) -> Int? {
    guard var served = sessions[session], served.sharers.insert(node).inserted else { return nil }
    _ = store(served, of: session)
    let last = max(served.head, served.position ?? 0)
    return last > 0 ? last : nil
  }

  /// Another node does not have the session in memory any more.
  mutating func unshare(_ session: SessionID, with node: Int) {
    guard var served = sessions[session], served.sharers.remove(node) != nil else { return }
    _ = store(served, of: session)
  }

  /// Another node is silent. If it goes on, it announces its sessions again.
  mutating func unshareAll(with node: Int) {
    for session in ids { unshare(session, with: node) }
  }

  /// Entries of another node arrived with a notification.
  mutating func received(
    _ entries: [(sequence: Int, entry: LogEntry)], epoch: String, of session: SessionID
  ) -> Report {
    var report = Report()
    guard var served = sessions[session], served.epoch == epoch, let position = served.position
    else { return report }
    for (sequence, entry) in entries where sequence > position {
      if served.early.count < Session.earlyCountMax { served.early[sequence] = entry }
    }
    let records = served.advance()
    if !records.isEmpty { report.committed.append((session, .mixed(records))) }
    _ = store(served, of: session)
    return report
  }

  /// What the log has of a session after a position.
  struct Page {
    let gap: Gap
    /// `nil` if the session has ended.
    let epoch: String?
    /// Whether the page has all entries up to the end of the gap.
    let isComplete: Bool
    var rows: [Row] = []
  }

  struct Row {
    let sequence: Int
    /// The serial number of the append if this node has made it.
    let ownSerial: Int?
    /// `nil` for an own entry, or one that cannot be read.
    let entry: LogEntry?
  }

  /// Entries were read.
  mutating func read(_ page: Page) -> Report {
    var report = Report()
    let session = page.gap.session
    guard var served = sessions[session], served.load == page.gap.load else { return report }
    guard page.epoch == served.epoch else {
      behind.remove(session)
      doubted(session)
      return report
    }
    guard let records = take(page, &served) else {
      drop(session, hasEnded: false, &report)
      return report
    }
    if !records.isEmpty { report.committed.append((session, .mixed(records))) }
    _ = store(served, of: session)
    // Own entries whose append has no outcome yet are read again when it has one.
    if (served.position ?? 0) < page.rows.last?.sequence ?? 0 { behind.remove(session) }
    return report
  }

  /// Advances a session by the rows of a page.
  ///
  /// - Returns: `nil` if entries are missing, because they were compacted, or cannot be read.
  private func take(_ page: Page, _ served: inout Session) -> [CommittedRecord]? {
    var records: [CommittedRecord] = []
    var position = served.position ?? 0
    for row in page.rows where row.sequence > position {
      guard row.sequence == position + 1 else { return nil }
      if served.own.contains(where: { $0.contains(row.sequence) }) {
        records.append(.own)
      } else if let serial = row.ownSerial, serial > settledSerial {
        break
      } else {
        guard let entry = row.entry else { return nil }
        records.append(.foreign(entry))
      }
      position = row.sequence
    }
    served.position = position
    served.trim()
    records += served.advance()
    let isShort = page.isComplete && (page.rows.last?.sequence ?? position) < page.gap.last
    return isShort ? nil : records
  }
}
