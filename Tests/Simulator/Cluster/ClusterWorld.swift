import CivilTime
import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import SessionLog

/// A deterministic simulation of several nodes with the production log on one database.
///
/// Clients connect to any node, which passes them on to the owner of their session. Nodes are
/// killed, stopped, cut off and replaced; the database and its connections have the faults of
/// ``SimulatedDatabase``. Everything follows from the seed.
final class ClusterWorld {
  private let seed: UInt64
  var random: RandomSource
  let time = SimulatedTime(start: Instant(milliseconds: 1_795_176_050_000), runs: true)
  let database: SimulatedDatabase
  private let nodeCount: Int
  private(set) var nodes: [Node] = []
  private var startedCount = 0
  private var connectionCount: UInt64 = 0
  /// The open connections.
  private var links: [ConnectionID: ClusterLink] = [:]
  private(set) var clients: [ClusterClient] = []
  private(set) var sessions: [SessionID] = []
  /// Whether the quiet phase has begun.
  private var isCalm = false
  /// When the clients stop sending commands, in machine milliseconds: then nothing shows a node
  /// that it is not the owner any more.
  private let idleFrom: Int64
  /// Whether a standby was promoted. Only then a history may be broken.
  private(set) var hasFailedOver = false
  /// The epochs of the sessions and of the feed when they were created.
  private(set) var epochs: [String] = []
  /// The rows added by the host's changes that were answered with success, and the epoch then.
  private(set) var addedRows: [(row: String, epoch: String)] = []
  private(set) var frameCount = 0
  private(set) var relayedCount = 0
  private(set) var breach: String?
  /// The maximum of members of a session.
  static let memberCountMax = 4

  init(seed: UInt64, nodeCount: Int? = nil, defect: SimulatedDefect? = nil) {
    self.seed = seed
    var random = RandomSource(seed: seed ^ 0x5eed)
    let drawnCount = random.within(2...4)
    self.nodeCount = nodeCount ?? drawnCount
    database = SimulatedDatabase(time, random.split(), defect: defect)
    idleFrom = Int64(random.pick([15_000, 22_000, 25_000]))
    self.random = random
  }

  /// Runs the world: creation, random actions with faults, then a quiet phase and the comparisons.
  ///
  /// - Throws: The first violation.
  func run() throws(Violation) {
    defer {
      for node in nodes { node.kill() }
      time.end()
    }
    startNode()
    runWhileUnbroken(for: 1000)
    while nodes.count < nodeCount { startNode() }
    runWhileUnbroken(for: 1000)
    create()
    for number in 0..<random.within(3...6) where !sessions.isEmpty {
      let session = sessions[number % sessions.count]
      let seen = clients.first { $0.session == session }?.seen ?? SeenDeltas()
      clients.append(ClusterClient(number: number, session: session, seen: seen))
      act(clients[number])
    }
    changeDefinition()
    visit()
    planFaults()
    runWhileUnbroken(for: 20_000)
    database.isTroubled = false
    isCalm = true
    runWhileUnbroken(for: 20_000)
    compare()
    guard let sentence = breach else { return }
    throw Violation(
      seed: seed, machine: time.machine, session: time.now.session.rfc3339,
      sentence: "\(sentence) (\(nodeCount) nodes)")
  }

  private func runWhileUnbroken(for milliseconds: Int64) {
    let end = time.machine + milliseconds
    while breach == nil, case .work(let work)? = time.next(until: end) { work() }
    time.advance(to: end)
  }

  func fail(_ sentence: String) { if breach == nil { breach = sentence } }
}

/// Nodes and faults.
extension ClusterWorld {
  private func startNode() {
    startedCount += 1
    nodes.append(
      Node(
        number: startedCount, time, database, random.split(), ClusterWorld.configuration,
        port: self))
  }

  private static var configuration: HubConfiguration {
    var configuration = HubConfiguration()
    configuration.limits.session.members = memberCountMax
    configuration.limits.messagesPerSecond = 1000
    configuration.limits.memberMilliseconds = 2500
    return configuration
  }

  private func planFaults() {
    for _ in 0..<random.within(1...5) {
      time.after(random.within(500...19_900)) { [unowned self] in doHarm() }
    }
  }

  private func doHarm() {
    switch random.below(9) {
    case 0, 1: killNode()
    case 2: stopNode()
    case 3: random.pick(nodes).engine?.cut(for: random.within(50...9000))
    case 4: database.goDown(for: random.within(50...random.pick([2000, 12_000])))
    case 5, 6:
      let lag = random.pick([0, random.within(1...400), random.within(1...400)])
      hasFailedOver = true
      database.failOver(losing: lag, downFor: random.within(100...4000))
    default:
      database.endAny()
      // The node may notice that later than another one that is asked for its sessions.
      let other = random.pick(nodes)
      for number in 200...203 { comeBy(number: number, at: other) }
    }
  }

  /// Kills a node: clients lose their connections. It is replaced soon.
  private func killNode() {
    let node = random.pick(nodes)
    node.kill()
    replace(node)
  }

  private func stopNode() {
    let node = random.pick(nodes)
    if !node.isStopping { node.stop { [unowned self] in replace(node) } }
  }

  private func replace(_ node: Node) {
    guard let index = nodes.firstIndex(where: { $0 === node }) else { return }
    nodes.remove(at: index)
    for (id, link) in links.sorted(by: { $0.key.raw < $1.key.raw }) where link.uses(node) {
      closed(id, code: 1006, byHub: link.node !== node)
    }
    time.after(random.within(0...1500)) { [unowned self] in startNode() }
    if nodes.isEmpty { startNode() }
  }
}

/// A connection of a client.
struct ClusterLink {
  let client: ClusterClient
  /// The node that the client has connected to.
  let entrance: Node
  /// The node whose hub has the connection; `nil` until that is decided.
  var node: Node?

  func uses(_ other: Node) -> Bool { entrance === other || node === other }
}

/// The host, and visitors, which fill the sessions.
extension ClusterWorld {
  /// The session whose definition the host changes.
  var columnsSession: SessionID? { sessions.first }

  /// Two nodes create a session with the same external id at the same time: one is created.
  private func create() {
    let definitions = [
      #"{"kind":"columns","columns":[["a","b","c"],["x","y"]]}"#,
      #"{"kind":"slot","leadMinutes":0,"stepMinutes":1,"days":2}"#,
    ]
    for (number, definition) in definitions.enumerated() {
      let text =
        #"{"definition":\#(definition),"external":"order-\#(number)","#
        + #""watch":["members","result"]}"#
      guard let body = try? CreateRequest(Array(text.utf8)) else { return fail("a body is valid") }
      for node in nodes.prefix(2) { create(body, at: node) }
    }
    runWhileUnbroken(for: 3000)
    let ids =
      (try? database.store.rows("SELECT id FROM session ORDER BY external") { row in
        SessionID(try row[0])
      }) ?? []
    if ids.count != definitions.count { fail("an external id has one session: \(ids.count)") }
    sessions = ids
    epochs = storedEpochs
  }

  private func create(_ body: CreateRequest, at node: Node, attempt: Int = 0) {
    let again = { [unowned self] in
      time.after(50) { [unowned self] in create(body, at: node, attempt: attempt + 1) }
    }
    let request = CreationRequest(body, socketBase: "ws://n") { [time] step in
      time.after(1) { node.enter { _, _ in step() } }
    }
    guard node.hub != nil else { return again() }
    node.enter { hub, _ in
      hub.begin { host throws(HubProblem) in
        try await host.create(request, at: node.now)
      } answer: { result in
        if case .failure(.unavailable) = result, attempt < 50 { again() }
      }
    }
  }

  /// Adds a row of its own to the second column of the first session, then does so again later.
  private func changeDefinition(number: Int = 0) {
    guard !isCalm, let session = columnsSession else { return }
    for copy in 0..<(random.once(in: 3) ? 2 : 1) {
      // Two nodes get different changes at the same time.
      let row = "host \(number) \(copy)"
      let patch = #"[{"op":"add","path":"/columns/1/-","value":"\#(row)"}]"#
      let request = DefinitionRequest(
        format: .jsonPatch, body: Array(patch.utf8), versions: nil, valuesMax: .max)
      pass(session, at: random.pick(nodes)) { [unowned self] node in
        node?.enter { hub, _ in
          hub.begin { host throws(HubProblem) in
            try await host.redefine(session, request, token: nil, at: node!.now)
          } answer: { [unowned self] result in
            guard case .success = result, let fold = hub.session(session)?.fold else { return }
            addedRows.append((row, fold.origin.epoch))
          }
        }
      }
    }
    time.after(random.within(100...1500)) { [unowned self] in
      changeDefinition(number: number + 1)
    }
  }

  /// Visitors come again and again.
  private func visit(number: Int = 100) {
    guard !isCalm, !sessions.isEmpty else { return }
    comeBy(number: number, at: random.pick(nodes))
    time.after(random.within(100...1500)) { [unowned self] in visit(number: number + 1) }
  }

  /// A visitor joins for a moment, and changes something: sessions become full. The session is read
  /// before and after.
  private func comeBy(number: Int, at node: Node) {
    let session = random.pick(sessions)
    let seen = clients.first { $0.session == session }?.seen ?? SeenDeltas()
    let visitor = ClusterClient(number: number, session: session, seen: seen)
    _ = visitor.command("select", #","column":1,"row":\#(random.below(2)),"generation":1"#)
    connect(visitor, at: node)
    for delay in [0, 50, 200, 400] {
      time.after(delay) { [unowned self] in read(session, seen) }
    }
    time.after(random.within(100...2000)) { [unowned self] in
      if let connection = visitor.connection { disconnect(connection) }
    }
  }
}

/// Reading.
extension ClusterWorld {
  /// Reads a session through each node: every answer has all that any member has seen before.
  private func read(_ session: SessionID, _ seen: SeenDeltas) {
    let newest = seen.newest
    for node in nodes {
      pass(session, at: node) { [unowned self] node in
        node?.enter { hub, _ in
          hub.begin { host throws(HubProblem) in
            try await host.read(session, token: nil, locale: nil, isFull: false, at: node!.now)
          } answer: {
            [unowned self] result in
            guard case .success(let bytes) = result, let document = try? JSONTree.parse(bytes),
              let epoch = document["epoch"]?.string, let before = newest[epoch]
            else { return }
            let revision = document["revision"]?.integer ?? -1
            if revision < before {
              fail("a read has what was seen before it: revision \(before), not \(revision)")
            }
          }
        }
      }
    }
  }
}

/// The way to the owner of a session.
extension ClusterWorld {
  /// Finds the node that serves a request: the one that has received it, or the owner, which must
  /// not pass it on again.
  ///
  /// - Parameter then: Receives `nil` for a request that is answered with 503.
  private func pass(
    _ session: SessionID, at node: Node, isRelayed: Bool = false,
    then: @escaping (Node?) -> Void
  ) {
    guard node.isAlive, !node.isStopping, let log = node.log else { return then(nil) }
    nonisolated(unsafe) let (world, then) = (self, then)
    log.owner(of: session) { owner in
      world.time.after(world.random.within(1...5)) {
        switch owner {
        case .here: then(node)
        case .node(_, let address) where !isRelayed:
          guard let other = world.nodes.first(where: { $0.address == address }) else {
            return then(nil)
          }
          world.relayedCount += 1
          world.pass(session, at: other, isRelayed: true, then: then)
        case .node, .unavailable: then(nil)
        }
      }
    }
  }
}

/// Clients.
extension ClusterWorld {
  /// A client connects, sends a command or disconnects, then acts again later.
  private func act(_ client: ClusterClient) {
    var pauseMax = isCalm ? 500 : 1500
    defer { time.after(random.within(20...pauseMax)) { [unowned self] in act(client) } }
    guard let connection = client.connection else { return connect(client, at: random.pick(nodes)) }
    guard client.isLive, time.machine < idleFrom else { return }
    switch random.below(12) {
    case 0:
      disconnect(client, connection)
      // Often so long that the member leaves.
      pauseMax = 8000
    case 1: connect(client, at: random.pick(nodes))
    case 2: send(client.command("undo"), connection)
    case 3: send(client.command(random.pick(["confirm", "reopen"])), connection)
    default:
      for _ in 0..<random.within(1...3) {
        let column = random.below(2)
        let fields =
          #","column":\#(column),"row":\#(random.below(3 - column)),"generation":1"#
        send(client.command("select", fields), connection)
      }
    }
  }

  /// Connects to a node. An older connection is ignored, see ``forget(_:)``.
  private func connect(_ client: ClusterClient, at node: Node) {
    connectionCount += 1
    let id = ConnectionID(raw: connectionCount)
    if let older = client.connection { forget(older) }
    client.closed(code: 1000)
    client.connection = id
    links[id] = ClusterLink(client: client, entrance: node)
    // A relay's way to the owner may break.
    time.after(5000) { [unowned self] in
      if client.connection == id, !client.isLive { closed(id, code: 1006, byHub: true) }
    }
    time.after(random.within(1...30)) { [unowned self] in
      pass(client.session, at: node) { [unowned self] owner in
        guard links[id] != nil else { return }
        guard let owner, owner.isAlive, owner.hub != nil else {
          return closed(id, code: 503, byHub: false)
        }
        links[id]?.node = owner
        owner.enter { $0.opened(id, session: client.session, bearer: nil, at: $1) }
        send(client.join, id)
      }
    }
  }

  /// The client ignores a connection from now on; its node may notice later.
  private func forget(_ connection: ConnectionID) {
    if random.coin() { disconnect(connection) } else { links[connection] = nil }
  }

  /// Closes a connection; its node notices up to 4 s later.
  private func disconnect(_ connection: ConnectionID) {
    guard let node = links.removeValue(forKey: connection)?.node else { return }
    time.after(random.within(0...4000)) { node.enter { $0.closed(connection, at: $1) } }
  }

  private func disconnect(_ client: ClusterClient, _ connection: ConnectionID) {
    forget(connection)
    client.closed(code: 1000)
  }

  private func send(_ text: String, _ connection: ConnectionID) {
    guard let node = links[connection]?.node else { return }
    time.after(5) {
      node.enter { $0.received(connection, Array(text.utf8).span, at: $1) }
    }
  }

  private func deliver(_ bytes: [UInt8], to connection: ConnectionID) {
    frameCount += 1
    time.after(5) { [unowned self] in
      guard let client = links[connection]?.client, client.connection == connection else { return }
      for text in client.receive(bytes) { send(text, connection) }
      if let sentence = client.breach { fail(sentence) }
    }
  }

  private func closed(_ connection: ConnectionID, code: UInt16, byHub: Bool) {
    let link = links[connection]
    time.after(5) { [unowned self] in
      links[connection] = nil
      if let link, link.client.connection == connection {
        link.client.closed(code: code)
        if let sentence = link.client.breach { fail(sentence) }
      }
      if byHub, let node = link?.node { node.enter { $0.closed(connection, at: $1) } }
    }
  }
}

extension ClusterWorld: HubPort {
  func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    deliver(Array(frame.bytes), to: connection)
    return .sent
  }

  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    closed(connection, code: code, byHub: true)
  }
}

/// The comparisons after the quiet phase.
extension ClusterWorld {
  /// The revisions of all sessions.
  var revisionCount: Int {
    sessions.compactMap { try? replay($0).fold.revision }.reduce(0, +)
  }

  /// The epochs of all sessions and of the feed.
  var storedEpochs: [String] {
    let sql =
      "SELECT epoch FROM (SELECT epoch FROM session ORDER BY external) UNION ALL "
      + "SELECT epoch FROM feed"
    return (try? database.store.rows(sql) { row in try row[0] as String }) ?? []
  }

  func compare() {
    do {
      if !hasFailedOver, storedEpochs != epochs { fail("epochs stay while nothing can be lost") }
      let compacted = try sessions.map { try replay($0).fold }
      try restoreEntries()
      let events = try storedEvents()
      for (id, fold) in zip(sessions, compacted) {
        let truth = try replica(of: id)
        if fold.state != truth.fold.state { fail("a compacted log gives the same state") }
        let types = events.filter { $0.session == id }.compactMap {
          FeedEventType(rawValue: $0.type)
        }
        if types != truth.eventTypes {
          fail(
            "the feed has each event of a session once, in order: \(types), not "
              + "\(truth.eventTypes)")
        }
        if id == columnsSession { checkRows(of: truth.fold) }
        for client in clients where client.session == id { compare(client, truth) }
        for node in nodes { compare(node, truth, id) }
      }
    } catch {
      fail("the stored log can be replayed: \(error)")
    }
  }

  /// Replays the stored log, and compares its snapshots.
  private func replay(
    _ session: SessionID, each: @escaping (ReplayedEntry) -> Void = { _ in }
  ) throws -> ReplayReport {
    let settings = SQLReplay.Settings(
      revision: nil, limits: SessionLimits(), versions: FoldVersions(tzdata: nil),
      zone: { SimulatedZones().rules(named: $0) }, each: each)
    return try SQLReplay.replay("simulated", session, settings) { database.store }
  }

  /// A session as its log alone says.
  private func replica(of session: SessionID) throws -> Replica {
    var entries: [LogEntry] = []
    let report = try replay(session) { entries.append($0.entry) }
    if let difference = report.difference { fail("a snapshot is right: \(difference.detail)") }
    var limits = report.fold.limits
    limits.history = 100
    var replica = try Replica(report.fold.origin, limits: limits)
    for entry in entries {
      if let sentence = replica.follow(entry, isLate: true) { fail(sentence) }
    }
    for (before, after) in zip(replica.deltas, replica.deltas.dropFirst())
    where after.at < before.at {
      fail("the times of a session do not go back: \(after.at)")
    }
    return replica
  }

  /// Adds the entries that compaction has deleted.
  private func restoreEntries() throws {
    try database.store.run(
      script: """
        DROP TRIGGER entry_added;
        DELETE FROM entry;
        INSERT INTO entry SELECT * FROM journal WHERE session IN (SELECT number FROM session);
        UPDATE snapshot SET row_count = sequence;
        """)
  }

  private func storedEvents() throws -> [(session: SessionID, type: String)] {
    let rows = try database.store.rows(
      "SELECT position, type, id, '{' || CAST(body AS text) FROM event ORDER BY position"
    ) { row in
      (
        position: try row[0] as Int, type: try row[1] as String, id: try row[2] as String,
        body: try row[3] as String
      )
    }
    if rows.map(\.position) != Array(1..<rows.count + 1) { fail("feed positions have no gaps") }
    if Set(rows.map(\.id)).count != rows.count { fail("the feed has each event once") }
    return rows.map { row in
      let session = (try? JSONTree.parse(Array(row.body.utf8)))?["data"]?["session"]?.string
      return (SessionID(session ?? ""), row.type)
    }
  }

  /// Checks that every change of the host that was answered is in the definition, and none twice.
  private func checkRows(of fold: SessionFold) {
    let rows = fold.definition.document(full: true)["columns"]?.array?.last?.array ?? []
    let texts = rows.compactMap { $0.string ?? $0["text"]?.string }
    for (row, epoch) in addedRows where epoch == fold.origin.epoch && !texts.contains(row) {
      fail("no answered change of the host is lost: \(row)")
    }
    if Set(texts).count != texts.count { fail("no change of the host is done twice: \(texts)") }
  }

  private func compare(_ client: ClusterClient, _ truth: Replica) {
    guard let member = client.member, client.isLive, client.connection != nil else {
      return fail("every client is back: client \(client.number)")
    }
    let id = MemberID(member.id)
    if truth.fold.members[id] == nil { fail("a connected client is a member: \(id)") }
    let nodeCount = nodes.count { $0.hub?.session(client.session)?.listener(of: id) != nil }
    if nodeCount != 1 { fail("a member is connected to one node: \(id) to \(nodeCount)") }
    if !client.pending.isEmpty { fail("every command is answered: \(client.pending.map(\.ref))") }
    if member.epoch != truth.fold.origin.epoch { fail("all clients have the epoch of the log") }
    if client.revision != truth.fold.revision {
      fail("all clients are at revision \(truth.fold.revision): \(client.revision)")
    }
    for (ref, revision) in client.executed.sorted(by: { $0.key < $1.key })
    where truth.revision(of: ref, by: id) != revision {
      fail("no answered command is lost: ref \(ref) of client \(client.number) at \(revision)")
    }
  }

  private func compare(_ node: Node, _ truth: Replica, _ id: SessionID) {
    guard let session = node.hub?.session(id) else { return }
    if session.fold.state != truth.fold.state {
      fail(
        "all nodes have the state of the log: node \(node.number) is at revision "
          + "\(session.fold.revision), the log at \(truth.fold.revision)")
    }
    let live = Set(
      clients.filter { $0.session == id && $0.isLive }.compactMap { $0.member?.id })
    for member in session.fold.members.keys.sorted(by: { $0.text < $1.text })
    where session.isOnline(member) != live.contains(member.text) {
      fail("a member is online while it is connected: \(member), at \(node.number)")
    }
  }
}
