import Foundation
import PickerHub
import PickerSession

/// What a node of a cluster knows of itself: which node it is, and which sessions it owns.
/// Used on the store's writing queue only.
///
/// - A node has a row, and holds a lock on its number on its writing connection. It is alive as
///   long as that connection: the database releases the lock.
/// - It claims a session before it loads it. It may if the session has no owner, or one that is not
///   alive and has committed nothing for some time: until then that may answer reads from memory.
/// - Each of its batches locks the rows of its sessions, and stores nothing of one with another
///   owner. So two processes that both believe to own a session cannot both append to it.
/// - Its batches and claims are numbered, and the number is stored by the transaction itself. So a
///   new connection shows whether the last one was committed, and, after a failover, whether
///   something is missing that was acknowledged.
/// - After a failover a session keeps its epoch only if its living owner finds all that it has
///   acknowledged; every other session gets a new epoch, and so does the feed.
/// Words: the *owner* of a session is a node. A session is *taken* if another node owns it, or has
/// ended it. The *history* of the database is what lies between two failovers or restores; that of
/// a session, elsewhere, are its deltas.
/// - Source: ARCHITECTURE.md, "A session has one owner".
final class SQLOwnership {
  /// What a new connection has shown.
  enum Continuation {
    /// Everything that was committed is there. Of the sessions that this node had, others own the
    /// `taken` ones, or have ended them.
    case unbroken(taken: Set<SessionID>)
    /// Committed transactions of this node are missing: its sessions have new epochs and no owner.
    case broken
    /// Other nodes have taken this one for stopped, and own all that it had, or have ended it.
    case forgotten
  }

  /// The number of the node; `nil` before the first connection.
  private(set) var node: Int64?
  /// The number of the last transaction that is known to be committed.
  private(set) var batch = 0
  /// Whether the node's row has the number of the transaction that is under way.
  private var isNumbered = false
  /// The number of the database's history.
  private(set) var history: Int64 = 1
  /// Identifies it: two standbys that were promoted one after the other can give the same number.
  private var historyID = ""
  /// The one in which this node has last found what it had committed.
  private var provenHistory = ""
  private let locks: any NodeLocks
  /// Where this process accepts connections of other nodes.
  private let address: String?
  private let scheduler: any StoreScheduler
  /// The epoch of the feed at the last sweep that was committed.
  var feedEpoch: String?
  /// The number of the last transaction of each node, and since when this node has seen it.
  private var seen: [Int64: (batch: Int, since: ContinuousClock.Instant)] = [:]

  /// The greatest number of a node: nine digits, which PostgreSQL's lock holds.
  private static let numberMax: Int64 = 999_999_999
  /// When this node has first connected to the current history.
  private var historySince: ContinuousClock.Instant?
  /// How long after that the sessions of nodes that have not connected to it yet are not claimed:
  /// all nodes connect again after a failover, and those vouch for their sessions.
  var reconnectTime = Duration.milliseconds(2500)

  init(_ locks: any NodeLocks, address: String?, _ scheduler: any StoreScheduler) {
    self.scheduler = scheduler
    self.locks = locks
    self.address = address
  }

  /// Makes a new connection that of the node.
  ///
  /// - Parameter sessions: Those that this node owns, as far as it knows.
  /// - Throws: The database's error, or ``FormerConnection``.
  func connected(
    _ connection: any SQLConnection, owning sessions: Set<SessionID>
  ) throws -> Continuation {
    let former = (node, batch, history, historyID)
    let continuation: Continuation
    do {
      continuation = try connection.transaction { try enter(connection, owning: sessions) }
    } catch {
      // It is not known whether it was committed.
      (node, batch, history, historyID) = former
      throw error
    }
    if historySince == nil || provenHistory != historyID { historySince = scheduler.instant }
    provenHistory = historyID
    return continuation
  }

  private func enter(
    _ connection: any SQLConnection, owning sessions: Set<SessionID>
  ) throws -> Continuation {
    let isForeign = try noteHistory(connection)
    guard let node, !isForeign else {
      try register(connection)
      return isForeign ? .broken : .unbroken(taken: [])
    }
    try lock(node, connection)
    let stored: Int? = try connection.value("SELECT batch FROM node WHERE number = $1", [node])
    // A row is deleted only when the node owns nothing any more. If the history is another one, it
    // may also be missing like what was committed after it.
    if stored == nil && historyID == provenHistory {
      try register(connection)
      return .forgotten
    }
    guard let stored, stored >= batch else {
      try renew(sessions, connection)
      try connection.run("DELETE FROM node WHERE number = $1", [node])
      try register(connection)
      return .broken
    }
    batch = stored
    if historyID != provenHistory {
      try connection.send(
        "UPDATE session SET history = $1 WHERE owner = $2 AND NOT ended", [history, node])
    }
    return .unbroken(taken: try taken(of: sessions, connection))
  }

  /// Which sessions that this node had belong to others by now, or have ended. Waits for claims
  /// that are under way.
  private func taken(
    of sessions: Set<SessionID>, _ connection: any SQLConnection
  ) throws -> Set<SessionID> {
    let kept = try connection.rows(
      """
      SELECT id FROM session
      WHERE \(connection.dialect.isAny("id", 1)) AND owner = $2 AND NOT ended
      ORDER BY id \(connection.dialect.forUpdate)
      """, [SQLList.texts(sessions.map(\.text)), node]
    ) { row in SessionID(try row[0]) }
    return sessions.subtracting(kept)
  }

  /// Gives up what this node owns without knowing: transactions had an unknown outcome.
  func giveUp(besides sessions: Set<SessionID>, _ connection: any SQLConnection) throws {
    try connection.run(
      """
      UPDATE session SET owner = NULL, due_at = 0
      WHERE owner = $1 AND NOT ended AND NOT (\(connection.dialect.isAny("id", 2)))
      """, [node, SQLList.texts(sessions.map(\.text))])
  }

  /// The same, after another node has found that something is missing: the sessions to which it
  /// gave new epochs have no owner any more. With them it has changed the epoch of the feed.
  ///
  /// - Returns: Also that epoch: ``feedEpoch`` when the transaction is committed.
  func takenByRenewal(
    of sessions: Set<SessionID>, _ connection: any SQLConnection
  ) throws -> (taken: Set<SessionID>, feedEpoch: String?) {
    let epoch: String? = try connection.value("SELECT epoch FROM feed")
    return (epoch == feedEpoch ? [] : try taken(of: sessions, connection), epoch)
  }

  /// A node that is registered.
  struct Node {
    let number: Int64
    let address: String?
    /// Whether it has committed something since it was observed before.
    let hasCommitted: Bool
  }

  /// Reads which transaction of each node was the last one.
  @discardableResult
  func observe(_ connection: any SQLConnection) throws -> [Node] {
    let rows = try connection.rows("SELECT number, batch, address FROM node") { row in
      (node: try row[0] as Int64, batch: try row[1] as Int, address: row[2] as String?)
    }
    let (former, now) = (seen, scheduler.instant)
    seen = [:]
    for (node, batch, _) in rows {
      seen[node] = former[node].flatMap { $0.batch == batch ? $0 : nil } ?? (batch, now)
    }
    return rows.map { node, batch, address in
      let hasCommitted = former[node].map { $0.batch != batch } ?? false
      return Node(number: node, address: address, hasCommitted: hasCommitted)
    }
  }

  /// Whether a node that is not alive cannot answer reads from memory any more. Its last commit
  /// began before this node has seen it.
  private func isSilent(_ node: Int64) -> Bool {
    seen[node].map { $0.since + SQLSessionLog.certainTime <= scheduler.instant } ?? true
  }

  /// Whether a node that is not alive may still connect to the current history.
  private var mayReconnect: Bool {
    historySince.map { scheduler.instant < $0 + reconnectTime } ?? false
  }

  /// Whether the sessions of a node that is not alive may be claimed.
  func hasStopped(_ node: Int64) -> Bool { isSilent(node) && !mayReconnect }

  /// Why connections for the sessions of this node, or of others, cannot be relayed.
  ///
  /// - Parameter others: The other nodes that are alive.
  func warning(about others: [Node]) -> String? {
    guard let node, let other = others.first(where: { $0.address == address }) else { return nil }
    guard let address else {
      return "node \(node) and node \(other.number) have no --node-listen: what one of them "
        + "receives for a session of the other is answered with 503"
    }
    return "node \(node) and node \(other.number) have the same --node-listen \(address): give "
      + "each an address at which the others reach it"
  }

  private func lock(_ node: Int64, _ connection: any SQLConnection) throws {
    guard try locks.lock(node, connection) else { throw FormerConnection() }
  }

  /// The database has not noticed yet that the former connection of this node has ended.
  struct FormerConnection: Error, CustomStringConvertible {
    var description: String { "the former connection of this node has not ended yet" }
  }

  /// The lock is there before the row can be seen, so that no other node takes it for that of a
  /// node that has stopped. The number is random: one that is counted could be given again after a
  /// failover that has lost the first row with it, and two nodes would be the same.
  private func register(_ connection: any SQLConnection) throws {
    let number: Int64? = try connection.value(
      "INSERT INTO node (number, address) VALUES ($1, $2) RETURNING number",
      [scheduler.random(below: SQLOwnership.numberMax) + 1, address])
    guard let number else { throw StoreProblem("the node was not registered") }
    try lock(number, connection)
    (node, batch) = (number, 0)
  }

  /// More changes of an inventory than a failover loses; fewer than the milliseconds between two.
  private static let lostChangesMax = 100_000

  /// Compares the history of the database with the stored one. In another one the feed has a new
  /// epoch.
  ///
  /// A database that was restored elsewhere has another system identifier: its state may be of any
  /// time. A promoted replica has the same one, and another timeline.
  /// - Returns: Whether it was restored elsewhere: every session then has a new epoch, and there
  ///   are no other nodes.
  private func noteHistory(_ connection: any SQLConnection) throws -> Bool {
    let current = try locks.history(connection)
    let stored = try connection.first(
      "SELECT history, history_number FROM store \(connection.dialect.forUpdate)"
    ) { row in (text: try row[0] as String, number: try row[1] as Int64) }
    guard let stored else { throw StoreProblem("the store has no row") }
    (history, historyID) = (stored.number, stored.text)
    if stored.text.hasPrefix("\(current)/") { return false }
    history += stored.text.isEmpty ? 0 : 1
    historyID = "\(current)/\(scheduler.random(below: .max))"
    try connection.run(
      "UPDATE store SET history = $1, history_number = $2", [historyID, history])
    if stored.text.isEmpty { return false }
    // Nodes know changes that may be lost: the numbers of others must not be the same.
    try connection.run(
      "UPDATE inventory SET number = number + $1, whole_number = number + $1",
      [SQLOwnership.lostChangesMax])
    let random = connection.dialect.randomText
    try connection.run("UPDATE feed SET epoch = \(random)")
    if stored.text.prefix(while: { $0 != "/" }) == current.prefix(while: { $0 != "/" }) {
      return false
    }
    try connection.send("DELETE FROM node")
    try connection.run(
      "UPDATE session SET epoch = \(random), history = $1, owner = NULL, due_at = 0", [history])
    return true
  }

  /// Gives the sessions of this node, and the feed, new epochs: acknowledged history is missing.
  private func renew(_ sessions: Set<SessionID>, _ connection: any SQLConnection) throws {
    let random = connection.dialect.randomText
    try connection.send(
      """
      UPDATE session SET epoch = \(random), history = $1, owner = NULL, due_at = 0
      WHERE owner = $2 OR \(connection.dialect.isAny("id", 3))
      """, [history, node, SQLList.texts(sessions.map(\.text))])
    try connection.run("UPDATE feed SET epoch = \(random)")
  }

  /// Numbers the transaction that has begun. Before it is committed, ``check(_:)`` must be called.
  ///
  /// - Returns: The number, to be passed to ``committed(_:)``.
  func number(_ connection: any SQLConnection) throws -> Int {
    let number = batch + 1
    isNumbered = false
    try connection.send(
      "UPDATE node SET batch = $1 WHERE number = $2 RETURNING batch", [number, node]
    ) { [unowned self] _ in isNumbered = true }
    return number
  }

  /// Checks that the transaction has its number.
  ///
  /// - Throws: ``RowIsGone``.
  func check(_ connection: any SQLConnection) throws {
    if !isNumbered { try connection.flush() }
    guard isNumbered else { throw RowIsGone() }
  }

  /// Another node has taken this one for stopped.
  struct RowIsGone: Error, CustomStringConvertible {
    var description: String { "another node has taken over from this one" }
  }

  func committed(_ number: Int) { batch = number }

  /// The outcome of claiming a session that exists.
  enum Claim {
    /// This node owns it now. It is to be loaded with this owner, epoch and number of entries.
    ///
    /// - Parameter isNew: Whether another node, or none, owned it before.
    case own(node: Int64, epoch: String, entryCount: Int, isNew: Bool)
    /// Another node owns it that is alive.
    case other
    /// Another node owns it that is not alive, but may still answer reads from memory, or connect
    /// again after a failover.
    case later
  }

  /// Claims sessions, in a numbered transaction of the caller.
  ///
  /// One of a former history has a new epoch: its owner is not alive to vouch for it.
  /// - Returns: The outcome for each session that exists.
  func claim(
    _ sessions: [SessionID], _ connection: any SQLConnection
  ) throws -> [SessionID: Claim] {
    guard let node else { return [:] }
    let rows = try connection.rows(
      """
      SELECT id, number, owner, history, entry_count FROM session
      WHERE \(connection.dialect.isAny("id", 1)) AND NOT ended
      ORDER BY id \(connection.dialect.forUpdate)
      """, [SQLList.texts(sessions.map(\.text))]
    ) { row in
      (
        id: SessionID(try row[0]), number: try row[1] as Int64, owner: row[2] as Int64?,
        history: try row[3] as Int64, entryCount: try row[4] as Int
      )
    }
    let others = Set(rows.compactMap(\.owner)).subtracting([node])
    let living = others.isEmpty ? [] : try locks.living(connection)
    // After the locks: a node that has none has committed nothing since.
    if !others.isSubset(of: living) { try observe(connection) }
    var claims: [SessionID: Claim] = [:]
    for row in rows {
      if let owner = row.owner, owner != node {
        if living.contains(owner) {
          claims[row.id] = .other
          continue
        }
        if !isSilent(owner) || (row.history < history && mayReconnect) {
          claims[row.id] = .later
          continue
        }
      }
      let epoch = row.history < history ? connection.dialect.randomText : "epoch"
      try connection.send(
        """
        UPDATE session SET owner = $1, due_at = NULL, history = $2, epoch = \(epoch)
        WHERE number = $3 RETURNING epoch
        """, [node, history, row.number]
      ) { updated in
        claims[row.id] = .own(
          node: node, epoch: try updated[0], entryCount: row.entryCount, isNew: row.owner != node)
      }
    }
    try connection.flush()
    return claims
  }

  /// Deletes the rows of nodes that have stopped and own nothing.
  func forget(_ stopped: Set<Int64>, _ connection: any SQLConnection) throws {
    for other in stopped.sorted() {
      try connection.run(
        """
        DELETE FROM node WHERE number = $1
          AND NOT EXISTS (SELECT 1 FROM session WHERE owner = $1 AND NOT ended)
        """, [other])
    }
  }

  /// This process ends in an orderly way: all that it has committed is there, and it owns nothing.
  func unregister(_ connection: any SQLConnection) throws {
    try connection.transaction {
      try connection.send(
        "UPDATE session SET owner = NULL, due_at = 0 WHERE owner = $1 AND NOT ended", [node])
      try connection.send("DELETE FROM node WHERE number = $1", [node])
    }
  }
}
