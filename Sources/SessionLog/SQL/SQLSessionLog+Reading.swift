import CivilTime
import Foundation
package import PickerHub
import PickerModel
package import PickerSession

/// Loading sessions and reading their history.
extension SQLSessionLog {
  /// The maximum of sessions that are claimed in one transaction.
  private static let claimCountMax = 200
  /// The time between two attempts to claim a session whose owner is not alive.
  private static let claimPause = Duration.milliseconds(250)
  /// The time between two attempts to read while the database is away.
  private static let readPause = Duration.milliseconds(100)

  package func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    let load = PendingLoad(session: session, limits: limits, hub: hub)
    if state.withLock({ $0.add(load) }) { queueBatch() }
  }

  /// Makes this node the owner of the sessions, then loads them. Called on ``queue``.
  func claim(_ loads: [PendingLoad]) {
    guard let ownership else {
      return loads.forEach { load in readingQueue.async { self.read(load, claim: nil, 0) } }
    }
    // It has been waited for already.
    if failure != nil || hasClosed {
      return loads.forEach { load in notify(.loaded(load.session, .unavailable)) }
    }
    var rest = loads.filter { load in
      guard let known = claimed.removeValue(forKey: load.session), known.generation == generation,
        owned.withLock({ $0.contains(load.session) })
      else { return true }
      readingQueue.async { self.read(load, claim: known.claim, known.generation) }
      return false
    }[...]
    var later: [PendingLoad] = []
    while !rest.isEmpty {
      let part = rest.prefix(SQLSessionLog.claimCountMax)
      rest = rest.dropFirst(part.count)
      do {
        let claims = try transaction { try ownership.claim(part.map(\.session), $0) }
        note(claims)
        let generation = generation
        for load in part {
          switch claims[load.session] {
          case .own?:
            readingQueue.async { self.read(load, claim: claims[load.session], generation) }
          case .later?:
            disown([load.session])
            later.append(load)
          case .other?:
            disown([load.session])
            notify(.loaded(load.session, .elsewhere))
          case nil:
            disown([load.session])
            notify(.loaded(load.session, .absent))
          }
        }
      } catch {
        for load in part { cannotRead(load.session, error) }
      }
    }
    if later.isEmpty { return }
    scheduler.after(SQLSessionLog.claimPause, on: queue) { [later] in self.claim(later) }
  }

  /// Notes which sessions this node owns now. Of one that it has owned before, and had to claim
  /// again, another node has changed the epoch meanwhile: what is known of it, or being read, is
  /// not true any more.
  func note(_ claims: [SessionID: SQLOwnership.Claim]) {
    var renewed: Set<SessionID> = []
    for case (let session, .own(_, _, _, let isNew)) in claims {
      releases.withLock { $0.cancel(session) }
      let wasOwned = owned.withLock { !$0.insert(session).inserted }
      if isNew && wasOwned { renewed.insert(session) }
    }
    if renewed.isEmpty { return }
    generation += 1
    notify(.lost(renewed.sorted { $0.text < $1.text }))
  }

  private func cannotRead(
    _ session: SessionID, _ error: any Error,
    _ outcome: LogLookup<LoadedSession> = .unavailable
  ) {
    notify(.message("session \(session.shortened) cannot be read from \(location): \(error)"))
    notify(.loaded(session, outcome))
  }

  /// What is read of a session does not show that this node owns it: a former primary answers.
  private struct StaleRead: Error, CustomStringConvertible {
    let description = "a former primary answers"
  }

  /// Loads a session and passes it to its hub. Called on ``readingQueue``.
  ///
  /// - Parameters:
  ///   - claim: What must be found; `nil` if the store has a single writer.
  ///   - generation: That of the connection on which it was claimed.
  private func read(_ load: PendingLoad, claim: SQLOwnership.Claim?, _ generation: Int) {
    do {
      let outcome = try patiently { try engine.read { try self.stored(load, claim, $0) } }
      finish(load, claim, generation, outcome)
    } catch is StaleRead {
      // The connection that has claimed it sees the claim.
      queue.async {
        do {
          let connection = try self.connected()
          self.finish(load, claim, generation, try self.stored(load, claim, connection))
        } catch {
          self.cannotRead(load.session, error)
        }
      }
    } catch {
      // A database of another process may only be slow.
      cannotRead(load.session, error, isTransient(error) ? .unavailable : .unreadable)
    }
  }

  /// Runs `body` again while a cluster's database is away, for ``waitTime`` as commands wait for
  /// it.
  private func patiently<Value>(_ body: () throws -> Value) throws -> Value {
    let begin = scheduler.instant
    while true {
      do {
        return try body()
      } catch {
        let isLate = scheduler.instant > begin + waitTime
        guard isClustered, isTransient(error), failure == nil, !isLate else { throw error }
        scheduler.sleep(SQLSessionLog.readPause)
      }
    }
  }

  private func stored(
    _ load: PendingLoad, _ claim: SQLOwnership.Claim?, _ connection: any SQLConnection
  ) throws -> StoredReading.Outcome? {
    if case .own(let node, let epoch, let entryCount, _)? = claim {
      let isCurrent: Int? = try connection.value(
        """
        SELECT 1 FROM session WHERE id = $1 AND owner = $2 AND epoch = $3 AND entry_count = $4
        """, [load.session.text, node, epoch, entryCount])
      if isCurrent == nil { throw StaleRead() }
    }
    let make = { self.definitions.definition(document: $0, hub: load.hub) }
    return try SQLRows(load.session, connection, make: make).map { rows in
      let outcome = try StoredReading.load(rows, limits: load.limits, versions, now: now) {
        try definitions.definition(of: $0, hub: load.hub)
      }
      guard case .loaded(var loaded, let byteCount) = outcome else { return outcome }
      loaded.step = try step(of: loaded.fold, hub: load.hub, connection)
      loaded.inventory = try inventory(of: loaded.fold, connection)
      return .loaded(loaded, byteCount: byteCount)
    }
  }

  private func finish(
    _ load: PendingLoad, _ claim: SQLOwnership.Claim?, _ generation: Int,
    _ outcome: StoredReading.Outcome?
  ) {
    let session = load.session
    switch outcome {
    case nil: notify(.loaded(session, .absent))
    case .diverged(let divergence)?:
      queue.async { self.renew(load, claim, divergence) }
    case .loaded(let loaded, let byteCount)?:
      state.withLock { $0.note(byteCount, of: session) }
      guard isClustered else { return notify(.loaded(session, .found(loaded))) }
      // The queue may have found meanwhile that another node has claimed it.
      queue.async {
        if self.generation != generation { return self.claim([load]) }
        self.notify(
          .loaded(
            session,
            self.owned.withLock { $0.contains(session) }
              ? .found(loaded) : .elsewhere))
      }
    }
  }

  /// Gives a session whose entries do not give the stored state any more a new epoch, and marks its
  /// newest snapshot as the beginning of its log; then loads it.
  private func renew(
    _ load: PendingLoad, _ claim: SQLOwnership.Claim?, _ divergence: StoredDivergence
  ) {
    do {
      let renewed = try transaction { try renew(claim, divergence, $0) }
      notify(divergence.notice(of: load.session, replayedWith: versions))
      let generation = generation
      readingQueue.async { self.read(load, claim: renewed, generation) }
    } catch {
      cannotRead(load.session, error)
    }
  }

  private func renew(
    _ claim: SQLOwnership.Claim?, _ divergence: StoredDivergence, _ connection: any SQLConnection
  ) throws -> SQLOwnership.Claim? {
    var renewed = claim
    var isOwn = false
    var owner: Int64?
    if case .own(let node, _, _, _)? = claim { owner = node }
    try connection.send(
      """
      UPDATE session SET epoch = \(connection.dialect.randomText), rules = $1, tzdata = $2
      WHERE number = $3 AND coalesce(owner, 0) = $4 RETURNING epoch
      """, [versions.rules, versions.tzdata, divergence.number, owner ?? 0]
    ) { row in
      isOwn = true
      guard case .own(let node, _, let entryCount, _)? = claim else { return }
      renewed = .own(node: node, epoch: try row[0], entryCount: entryCount, isNew: false)
    }
    try connection.flush()
    guard isOwn else { throw StoreProblem("another node has claimed it") }
    if let sequence = divergence.sequence {
      try connection.send(
        """
        UPDATE snapshot SET rules = $1, tzdata = $2, checksum = $3, replaces = $4
        WHERE session = $5 AND sequence = $6
        """,
        [
          versions.rules, versions.tzdata, divergence.checksum, divergence.versions.text,
          divergence.number, sequence,
        ])
    }
    try connection.flush()
    return renewed
  }

  package func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) {
    historyQueue.async {
      let page = try? self.engine.read { connection in
        try SQLRows(position.origin.id, connection, make: self.definitions.make(_:)).map {
          try HistoryPage.read(from: position, $0)
        }
      }
      self.notify(.run(position.origin.id) { completion(page ?? nil) })
    }
  }
}

/// Look-ups of owners that wait for the one that runs. Their number is limited by those who ask:
/// the event loops hold a number of connections.
struct OwnerLookUps {
  typealias Completion = @Sendable (SQLSessionLog.Owner) -> Void

  private(set) var waiting: [SessionID: [Completion]] = [:]

  /// - Returns: Whether it is the first: the caller starts a look-up.
  mutating func add(_ session: SessionID, _ completion: @escaping Completion) -> Bool {
    defer { waiting[session, default: []].append(completion) }
    return waiting.isEmpty
  }

  mutating func take() -> [SessionID: [Completion]] {
    defer { waiting = [:] }
    return waiting
  }
}

/// What the hubs ask about sessions of all nodes.
extension SQLSessionLog {
  package func find(
    _ session: SessionID, completion: @escaping @Sendable (LogLookup<DormantSession>) -> Void
  ) {
    // PostgreSQL refuses texts with a null character.
    if session.text.utf8.contains(0) { return notify(.run(session) { completion(.absent) }) }
    let (doubt, now) = (clockDoubt, self.now)
    readingQueue.async {
      let read = { (connection: any SQLConnection) throws in
        try connection.first(
          "SELECT \(DormantSession.columns) FROM session WHERE id = $1 AND NOT ended",
          [session.text]
        ) { try DormantSession($0, doubt, at: now) }
      }
      // A primary that is cut off from the others may not have it yet.
      let outcome = LogLookup {
        try self.patiently { try self.engine.read(read) ?? self.engine.readConfirmed(read) }
      }
      self.notify(.run(session) { completion(outcome) })
    }
  }

  package func describe(
    _ session: SessionID, limits: SessionLimits, hub: Int,
    completion: @escaping @Sendable (SessionFold?) -> Void
  ) {
    let load = PendingLoad(session: session, limits: limits, hub: hub)
    readingQueue.async {
      var found: SessionFold?
      let outcome = try? self.engine.readConfirmed { try self.stored(load, nil, $0) }
      if case .loaded(let loaded, _)? = outcome {
        found = loaded.fold
      }
      self.notify(.run(session) { [found] in completion(found) })
    }
  }

  /// The node that owns a session.
  package enum Owner: Sendable {
    /// This one, or the session does not exist.
    case here
    /// Another one that is alive, by its number. It accepts connections of other nodes at the
    /// address, if any.
    case node(Int64, address: String?)
    case unavailable
  }

  /// Whether this node owns a session, as far as it knows, and is not about to give it up.
  package func owns(_ session: SessionID) -> Bool {
    owned.withLock { $0.contains(session) } && !releases.withLock { $0.contains(session) }
  }

  /// Finds out who owns a session; one without a living owner is claimed, and loaded. So of several
  /// nodes that are asked for it at the same time all know which one has it.
  ///
  /// One transaction looks up all sessions that were asked for while the one before it ran, so that
  /// no number of unknown ids delays the others. While the database is away it is tried again for
  /// ``waitTime``, as commands are.
  ///
  /// - Parameter completion: Called on any thread; at once for a session of this node.
  package func owner(
    of session: SessionID, completion: @escaping @Sendable (Owner) -> Void
  ) {
    guard let locks = engine.locks, !owns(session), !session.text.utf8.contains(0) else {
      return completion(.here)
    }
    let isFirst = ownerLookUps.withLock { $0.add(session, completion) }
    guard isFirst else { return }
    ownerQueue.async {
      let asked = self.ownerLookUps.withLock { $0.take() }
      let sessions = asked.keys.sorted { $0.text < $1.text }
      let found =
        self.failure == nil
        ? try? self.patiently { try self.engine.read { try self.owners(of: sessions, locks, $0) } }
        : nil
      let free = Set(found?.free.map(\.id) ?? [])
      for session in sessions where !free.contains(session) {
        let owner: Owner = found.map { $0.others[session] ?? .here } ?? .unavailable
        for completion in asked[session]! { completion(self.owns(session) ? .here : owner) }
      }
      if let found, !free.isEmpty {
        self.queue.async { self.claim(found.free.map { ($0, asked[$0.id]!) }) }
      }
    }
  }

  private typealias Asked = (session: DormantSession, completions: [OwnerLookUps.Completion])

  /// Makes this node the owner of sessions for which somebody asks. If another one is first, it is
  /// looked up. Called on ``queue``.
  private func claim(_ asked: [Asked]) {
    guard let ownership, failure == nil, !hasClosed else {
      return asked.forEach { each in each.completions.forEach { $0(.unavailable) } }
    }
    var rest = asked[...]
    var later: [Asked] = []
    while !rest.isEmpty {
      let part = rest.prefix(SQLSessionLog.claimCountMax)
      rest = rest.dropFirst(part.count)
      let claims: [SessionID: SQLOwnership.Claim]
      do {
        claims = try transaction { try ownership.claim(part.map(\.session.id), $0) }
      } catch {
        fail([], error)
        for each in part + rest { each.completions.forEach { $0(.unavailable) } }
        break
      }
      note(claims)
      for each in part {
        let id = each.session.id
        switch claims[id] {
        case .later?: later.append(each)
        case .other?: each.completions.forEach { owner(of: id, completion: $0) }
        case .own?:
          claimed[id] = claims[id].map { ($0, generation) }
          notify(.orphaned([each.session]))
          each.completions.forEach { $0(.here) }
        case nil: each.completions.forEach { $0(.here) }
        }
      }
    }
    if later.isEmpty { return }
    scheduler.after(SQLSessionLog.claimPause, on: queue) { [later] in self.claim(later) }
  }

  private typealias Owners = (others: [SessionID: Owner], free: [DormantSession])

  /// - Returns: Those that other living nodes own, and the others that exist.
  private func owners(
    of sessions: [SessionID], _ locks: any NodeLocks, _ connection: any SQLConnection
  ) throws -> Owners {
    let node = number.withLock { $0 }
    let found = try connection.rows(
      """
      SELECT id, node.number, node.address FROM session JOIN node ON node.number = owner
      WHERE \(connection.dialect.isAny("id", 1)) AND NOT ended
      """, [SQLList.texts(sessions.map(\.text))]
    ) { row in
      (id: SessionID(try row[0]), node: try row[1] as Int64, address: row[2] as String?)
    }.filter { $0.node != node }
    let living = found.isEmpty ? [] : try locks.living(connection)
    let others: [SessionID: Owner] = Dictionary(
      uniqueKeysWithValues: found.filter { living.contains($0.node) }.map {
        ($0.id, .node($0.node, address: $0.address))
      })
    let rest = sessions.filter { others[$0] == nil }
    let (doubt, now) = (clockDoubt, self.now)
    let free = try connection.rows(
      """
      SELECT \(DormantSession.columns) FROM session
      WHERE \(connection.dialect.isAny("id", 1)) AND NOT ended ORDER BY id
      """, [SQLList.texts(rest.map(\.text))]
    ) { try DormantSession($0, doubt, at: now) }
    return (others, free)
  }

  package func find(
    _ names: SessionIndex.Names, hub: Int,
    completion: @escaping @Sendable (LogLookup<NameOwner>) -> Void
  ) {
    readingQueue.async {
      let outcome = LogLookup { try self.engine.readConfirmed { try self.owner(of: names, $0) } }
      self.notify(.runInHub(hub) { completion(outcome) })
    }
  }

  private func owner(
    of names: SessionIndex.Names, _ connection: any SQLConnection
  ) throws -> NameOwner? {
    if let key = names.key {
      // No key expires while the clock is in doubt.
      let since = clockDoubt.isRaised ? 0 : now - SessionIndex.keyMilliseconds
      let known = try connection.first(
        """
        \(CreationKey.selection) WHERE key = $1 AND at > $2
        """, [Data(key), since]
      ) { try CreationKey($0) { $0 } }
      if let known { return .key(known) }
    }
    guard let external = names.externalID else { return nil }
    let id: String? = try connection.value(
      "SELECT id FROM session WHERE external = $1 AND namespace = $2 AND NOT ended",
      [Data(external.utf8), names.namespace ?? ""])
    return id.map { .session(SessionID($0)) }
  }

  package func list(
    _ query: SessionListQuery, hub: Int,
    completion: @escaping @Sendable (LogLookup<SessionListPage>) -> Void
  ) {
    readingQueue.async {
      let page = try? self.engine.readConfirmed { try SQLSessionLog.page(query, $0) }
      self.notify(.runInHub(hub) { completion(page.map { .found($0) } ?? .unavailable) })
    }
  }

  private static func page(
    _ query: SessionListQuery, _ connection: any SQLConnection
  ) throws -> SessionListPage {
    var conditions = ["NOT ended", "ordinal > $1"]
    var values: [(any SQLValue)?] = [query.after, query.limit + 1]
    if let external = query.external {
      values.append(Data(external.utf8))
      conditions.append("external = $\(values.count)")
    }
    if let status = query.status {
      values.append(status.rawValue)
      conditions.append("status = $\(values.count)")
    }
    if let namespace = query.namespace {
      values.append(namespace)
      conditions.append("namespace = $\(values.count)")
    }
    if let uses = query.uses {
      values.append(uses)
      conditions.append("uses = $\(values.count)")
    }
    // Two nodes may have given the same ordinal, which is the cursor of the next page.
    let found = try connection.rows(
      """
      SELECT id, ordinal, external, status, namespace, uses FROM session
      WHERE \(conditions.joined(separator: " AND ")) AND ordinal <= coalesce((
        SELECT max(ordinal) FROM (
          SELECT ordinal FROM session WHERE \(conditions.joined(separator: " AND "))
          ORDER BY ordinal LIMIT $2) AS first), 0)
      ORDER BY ordinal
      """, values
    ) { try SessionIndex.Entry($0) }
    guard found.count > query.limit else { return SessionListPage(sessions: found, next: nil) }
    let last = found[query.limit - 1].ordinal
    let part = found.filter { $0.ordinal <= last }
    return SessionListPage(
      sessions: part, next: part.count < found.count ? last : found.last?.ordinal)
  }
}

extension StoredNames {
  /// A session in memory at the last snapshot may have another status since: then it is not known.
  ///
  /// - Parameter doubt: The age of keys is reduced after a doubtful start.
  init(_ connection: any SQLConnection, _ doubt: ClockDoubt) throws {
    self.init()
    entries = try connection.rows(
      """
      SELECT id, ordinal, external, CASE WHEN has_members THEN NULL ELSE status END, namespace,
        uses
      FROM session WHERE NOT ended ORDER BY ordinal
      """
    ) { try SessionIndex.Entry($0) }
    keys = try connection.rows("\(CreationKey.selection) ORDER BY at") {
      try CreationKey($0, time: doubt.keyTime)
    }
  }
}

extension SessionIndex.Entry {
  /// - Parameter row: Id, ordinal, external id, status, namespace and shared definition.
  fileprivate init(_ row: any SQLRow) throws {
    let (external, status): (Data?, String?) = (row[2], row[3])
    let namespace: String = try row[4]
    self.init(
      id: SessionID(try row[0]), ordinal: try row[1],
      external: external.map { String(decoding: $0, as: UTF8.self) },
      namespace: namespace.isEmpty ? nil : namespace, uses: row[5],
      status: status.flatMap(SessionStatus.init(rawValue:)))
  }
}

extension CreationKey {
  /// A session that lives may have another epoch since.
  fileprivate static let selection = """
    SELECT key, creation.body, creation.session, coalesce(session.epoch, creation.epoch), salt, at
    FROM creation LEFT JOIN session ON session.id = creation.session
    """

  /// - Parameter row: Of ``selection``.
  fileprivate convenience init(_ row: any SQLRow, time: (Int64) -> Int64) throws {
    self.init(
      keyHash: [UInt8](try row[0] as Data), bodyHash: [UInt8](try row[1] as Data),
      session: SessionID(try row[2]), epoch: try row[3], salt: try row[4],
      at: Instant(milliseconds: time(try row[5])))
  }
}
