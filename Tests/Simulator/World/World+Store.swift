import Foundation
import JSONText
import PickerHub
import PickerSession
import SessionLog

/// A session's log in the database.
struct StoredLog {
  let id: SessionID
  let entries: StoredEntries
  var hasEnded = false
}

/// What the log has: the replicas follow it, independently of the hub.
extension World {
  /// Applies what a transaction has stored.
  func followDatabase() {
    do {
      guard let database else { return }
      try noteSessions(database.store)
      let rows = try database.store.rows(
        "SELECT rowid, session, body FROM journal WHERE rowid > $1 ORDER BY rowid",
        [journalPosition]
      ) { row in
        (position: try row[0] as Int, session: try row[1] as Int64, body: try row[2] as Data)
      }
      for row in rows {
        journalPosition = row.position
        guard let log = storedLogs[row.session] else { continue }
        follow(log.id) { fold in try log.entries.entry(row.body, after: fold) }
      }
    } catch {
      breach("what is stored can be read: \(error)")
    }
  }

  private func noteSessions(_ store: SQLiteConnection) throws {
    let rows = try store.rows("SELECT number, id, ended FROM session") { row in
      (number: try row[0] as Int64, id: SessionID(try row[1]), hasEnded: try row[2] as Bool)
    }
    for row in rows where storedLogs[row.number] == nil {
      guard
        let entries = try StoredEntries(
          of: row.id, limits: profile.limits.session, store,
          zone: { [zones] in zones.rules(named: $0) })
      else { continue }
      storedLogs[row.number] = StoredLog(id: row.id, entries: entries)
      replicas[row.id] = try Replica(entries.origin, limits: entries.limits)
    }
    let living = Set(rows.filter { !$0.hasEnded }.map(\.number))
    for number in storedLogs.keys where !living.contains(number) { noteEnd(of: number) }
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
      return
    }
    for index in known.entryCount..<stored.entries.count {
      follow(session) { _ in stored.entries[index] }
    }
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

/// The feed has every event of the logs once, in order.
extension World {
  /// Called when everything has come to rest, and again when every session has ended.
  func checkFeed() {
    let events = storedEvents
    for record in records {
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
