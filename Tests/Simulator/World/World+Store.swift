import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import SessionLog

/// A session's log in the database.
struct StoredLog {
  let id: SessionID
  let epoch: String
  let rows: SQLRows
  var hasEnded = false
}

/// What the log has: the replicas follow it, independently of the hub.
extension World {
  /// Applies what a transaction has stored.
  func followDatabase() {
    do {
      guard let database else { return }
      try noteSessions(database)
      let rows = try database.store.rows(
        "SELECT rowid, session, body FROM journal WHERE rowid > $1 ORDER BY rowid",
        [journalPosition]
      ) { row in
        (position: try row[0] as Int, session: try row[1] as Int64, body: try row[2] as Data)
      }
      for row in rows {
        journalPosition = row.position
        guard let log = storedLogs[row.session], doubted[log.id] == nil else { continue }
        follow(log.id) { fold in try log.rows.entry(row.body, after: fold) }
      }
      if profile.sells { try checkInventories(database) }
    } catch {
      breach("what is stored can be read: \(error)")
    }
  }

  private func noteSessions(_ database: SimulatedDatabase) throws {
    let rows = try database.store.rows(
      """
      SELECT session.number, id, ended, epoch,
        session.history = history_number AND (store.history = '' OR store.history LIKE $1)
      FROM session, store
      """, ["\(database.history)/%"]
    ) { row in
      (
        number: try row[0] as Int64, id: SessionID(try row[1]), hasEnded: try row[2] as Bool,
        epoch: try row[3] as String, isCertain: try row[4] as Bool
      )
    }
    for row in rows {
      let known = storedLogs[row.number]
      if known != nil, known?.epoch == row.epoch, doubted[row.id] == nil { continue }
      if doubted[row.id] != nil, !row.isCertain { continue }
      try restart(row.number, row.id, row.epoch, database.store)
    }
    let living = Set(rows.filter { !$0.hasEnded }.map(\.number))
    for number in storedLogs.keys where !living.contains(number) { noteEnd(of: number) }
  }

  /// Reads a session from its creation: one that is new, or of which a failover may have lost
  /// entries.
  private func restart(
    _ number: Int64, _ id: SessionID, _ epoch: String, _ store: SQLiteConnection
  ) throws {
    let former = doubted.removeValue(forKey: id) ?? replicas[id]
    let zone = { [zones] (name: String) in zones.rules(named: name) }
    guard let rows = try SQLRows(id, store, make: { Definition.stored($0, zone: zone) }) else {
      return
    }
    let (origin, limits) = try rows.created(profile.limits.session) { stored in
      try stored.makeDefinition(zone: zone)
    }
    storedLogs[number] = StoredLog(id: id, epoch: epoch, rows: rows)
    replicas[id] = try Replica(origin, limits: limits)
    for record in records where record.id == id { record.isEnded = false }
    let bodies = try store.rows(
      "SELECT body FROM journal WHERE session = $1 AND rowid <= $2 ORDER BY sequence",
      [number, journalPosition]
    ) { row in try row[0] as Data }
    for body in bodies { follow(id) { fold in try rows.entry(body, after: fold) } }
    if let former { checkKept(former, id) }
  }

  /// Checks that a session with the same epoch has all that was acknowledged. With another one it
  /// may lack the last entries.
  private func checkKept(_ former: Replica, _ id: SessionID) {
    let epoch = former.fold.origin.epoch
    guard let replica = replicas[id] else { return }
    guard replica.fold.origin.epoch == epoch else {
      if !hasFailedOver { breach("epochs stay while nothing can be lost") }
      formerReplicas[epoch] = former
      host.forget(id)
      return
    }
    for client in clients where client.session.id == id && client.epoch == epoch {
      if client.state.revision > replica.fold.revision {
        breach("an acknowledged revision is never lost: client \(client.number)")
      }
    }
    let shown = records.first { $0.id == id }?.shown
    if let shown, shown.epoch == epoch, shown.revision > replica.fold.revision {
      breach("an answered change is never lost: revision \(shown.revision)")
    }
  }

  /// A standby was promoted: the replicas have what it may lack, until an owner vouches for a
  /// session, or the session has another epoch.
  func doubtReplicas() {
    for (id, replica) in replicas where doubted[id] == nil { doubted[id] = replica }
    (storedLogs, inventories) = ([:], [:])
    seller.forget()
    journalPosition =
      (try? database?.store.value("SELECT max(rowid) FROM journal", as: Int.self)) ?? 0
  }

  /// The replica that a client follows.
  func replica(of client: SimulatedClient) -> Replica? {
    client.epoch.map { replica(of: client.session.id, in: $0) } ?? replicas[client.session.id]
  }

  func replica(of session: SessionID, in epoch: String) -> Replica? {
    guard let replica = replicas[session], replica.fold.origin.epoch == epoch else {
      return formerReplicas[epoch]
    }
    return replica
  }

  private func noteEnd(of number: Int64) {
    guard let log = storedLogs[number], !log.hasEnded else { return }
    storedLogs[number]?.hasEnded = true
    for record in records where record.id == log.id { record.isEnded = true }
  }

  /// Applies what was appended to a log in memory.
  func followJournal(of session: SessionID) {
    guard let stored = journal.sessions[session] else { return }
    if stored.hasEnded {
      for record in records where record.id == session { record.isEnded = true }
    }
    guard let known = replicas[session] else {
      replicas[session] = try? Replica(stored.origin, limits: profile.limits.session)
      return checkMemoryInventory()
    }
    for index in known.entryCount..<stored.entries.count {
      follow(session) { _ in stored.entries[index] }
    }
    checkMemoryInventory()
  }

  private func follow(
    _ session: SessionID, _ entry: (borrowing SessionFold) throws -> LogEntry
  ) {
    // Taken out, because with a second reference each change would copy the whole replica.
    guard var replica = replicas.removeValue(forKey: session) else { return }
    do {
      let entry = try entry(replica.fold)
      if let sentence = replica.follow(entry, isLate: profile.isStored) { breach(sentence) }
    } catch {
      breach("an entry can be read: \(error)")
    }
    replicas[session] = replica
    uncompared.insert(session)
  }

  /// Whether the log has the end of a session.
  func hasEnded(_ session: SessionID) -> Bool {
    if database == nil { return journal.sessions[session]?.hasEnded != false }
    return storedLogs.values.first { $0.id == session }?.hasEnded != false
  }
}

/// What is stored, when everything has come to rest.
extension World {
  /// Checks that a log from which compaction has deleted entries gives the same state, and that its
  /// snapshots are right.
  func checkStored() {
    guard let database else { return }
    for log in storedLogs.values where !log.hasEnded {
      guard let replica = replicas[log.id] else { continue }
      do {
        let settings = SQLReplay.Settings(
          revision: nil, limits: profile.limits.session, versions: FoldVersions(tzdata: nil),
          zone: { [zones] in zones.rules(named: $0) }, each: { _ in })
        let report = try SQLReplay.replay("simulated", log.id, settings) { database.store }
        if let difference = report.difference {
          breach("a snapshot is right: \(difference.detail)")
        }
        if report.fold.state != replica.fold.state {
          breach("a compacted log gives the same state")
        }
      } catch {
        breach("the stored log can be replayed: \(error)")
      }
    }
  }
}

/// The feed has every event of the logs once, in order.
extension World {
  /// Called when everything has come to rest, and again when every session has ended.
  func checkFeed() {
    let events = storedEvents
    for record in records where doubted[record.id] == nil {
      guard let replica = replicas[record.id] else { continue }
      let types = events[record.id] ?? []
      let expected = replica.eventTypes
      guard hasEnded(record.id) else {
        if types != expected { breach("the feed has \(types) of \(expected)") }
        continue
      }
      // Entries that waited for the log when the end was accepted are not done any more.
      if types.last != .ended || types.count(where: { $0 == .ended }) != 1
        || !expected.starts(with: types.dropLast())
      {
        breach("the feed has \(types) of \(expected) and the end")
      }
    }
  }

  /// The types of the events of each session, in the order of the feed.
  private var storedEvents: [SessionID: [FeedEventType]] {
    guard let database else { return journal.sessions.mapValues { $0.events.map(\.type) } }
    let rows = try? database.store.rows(
      "SELECT position, type, id, '{' || CAST(body AS text) FROM event ORDER BY position"
    ) { row in
      (
        position: try row[0] as Int, type: try row[1] as String, id: try row[2] as String,
        body: try row[3] as String
      )
    }
    guard let rows else {
      breach("the feed can be read")
      return [:]
    }
    if rows.map(\.position) != Array(1..<rows.count + 1) { breach("feed positions have no gaps") }
    if Set(rows.map(\.id)).count != rows.count { breach("the feed has each event once") }
    var events: [SessionID: [FeedEventType]] = [:]
    for row in rows {
      guard
        let session = (try? JSONTree.parse(Array(row.body.utf8)))?["data"]?["session"]?.string,
        let type = FeedEventType(rawValue: row.type)
      else { continue }
      events[SessionID(session), default: []].append(type)
    }
    return events
  }
}
