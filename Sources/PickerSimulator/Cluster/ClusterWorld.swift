import JSONText
import PickerHub
import PickerSession
import PickerWire

/// A deterministic simulation of several nodes that share one log.
///
/// Clients connect to any node and move between them; nodes are killed and replaced; the log has
/// the faults of ``SharedLog``. Everything follows from the seed.
final class ClusterWorld {
  private let seed: UInt64
  var random: RandomSource
  let time = ClusterTime()
  let log: SharedLog
  private let nodeCount: Int
  private(set) var nodes: [ClusterNode] = []
  private var startedCount = 0
  private var connectionCount: UInt64 = 0
  /// The node and client of each open connection.
  private var links: [ConnectionID: (node: ClusterNode, client: ClusterClient)] = [:]
  private(set) var clients: [ClusterClient] = []
  private(set) var sessions: [SessionID] = []
  /// Whether the quiet phase has begun.
  private(set) var isCalm = false
  /// The rows added by the host's changes that succeeded.
  var addedRows: [String] = []
  private(set) var frameCount = 0
  var breach: String?

  init(seed: UInt64, nodeCount: Int? = nil, defect: SharedLog.Defect? = nil) {
    self.seed = seed
    var random = RandomSource(seed: seed ^ 0x5eed)
    let drawnCount = random.within(2...4)
    self.nodeCount = nodeCount ?? drawnCount
    log = SharedLog(time, random.split(), defect: defect)
    self.random = random
  }

  /// Runs the world: creation, random actions with faults, then a quiet phase and the comparisons.
  ///
  /// - Throws: The first violation.
  func run() throws(Violation) {
    for _ in 0..<nodeCount { startNode() }
    create()
    for number in 0..<random.within(3...6) {
      let session = sessions[number % max(1, sessions.count)]
      let seen = clients.first { $0.session == session }?.seen ?? SeenDeltas()
      clients.append(ClusterClient(number: number, session: session, seen: seen))
      act(clients[number])
    }
    changeDefinition()
    visit()
    for _ in 0..<random.within(0...3) {
      time.after(random.within(500...15_000)) { [unowned self] in killNode() }
    }
    for node in nodes where random.coin() {
      let pause = random.within(50...3000)
      time.after(random.within(0...10_000)) { node.log.loseAnnouncements(for: pause) }
    }
    runWhileUnbroken(for: 20_000)
    log.isTroubled = false
    isCalm = true
    runWhileUnbroken(for: 30_000)
    compare()
    guard let sentence = breach else { return }
    throw Violation(
      seed: seed, machine: time.machine, session: time.now.session.rfc3339,
      sentence: "\(sentence) (\(nodeCount) nodes)")
  }

  private func runWhileUnbroken(for milliseconds: Int64) {
    time.run(until: time.machine + milliseconds) { [unowned self] in breach == nil }
  }

  func fail(_ sentence: String) { if breach == nil { breach = sentence } }

  private func startNode() {
    startedCount += 1
    let node = ClusterNode(
      number: startedCount, log, random.split(),
      sends: { [unowned self] in deliver($1, to: $0) },
      closes: { [unowned self] in closed($0, code: $1, byHub: true) })
    nodes.append(node)
  }

  /// Kills a node. Clients lose their connections; other nodes notice after 5 s.
  private func killNode() {
    let node = random.pick(nodes)
    nodes.removeAll { $0 === node }
    node.kill()
    for (id, link) in links.sorted(by: { $0.key.raw < $1.key.raw }) where link.node === node {
      closed(id, code: 1006, byHub: false)
    }
    startNode()
    time.after(5000) { [unowned self] in
      for other in nodes {
        other.enter { $0.nodeLost(node.log.node, at: self.time.now) }
      }
      let adopting = random.pick(nodes)
      let orphans = log.adopt(of: node.log.node, by: adopting.log.node)
      adopting.enter { $0.restore(orphans, at: self.time.now) }
    }
  }
}

/// Sessions and clients.
extension ClusterWorld {
  /// The session whose definition the host changes.
  var columnsSession: SessionID? {
    sessions.first { log.sessions[$0]?.origin.host.external == "order-0" }
  }

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
    let ids = log.sessions.keys.sorted { $0.text < $1.text }
    if ids.count != definitions.count { fail("an external id has one session: \(ids.count)") }
    sessions = ids
  }

  private func create(_ body: CreateRequest, at node: ClusterNode, attempt: Int = 0) {
    let again = { [unowned self] in
      time.after(50) { [unowned self] in create(body, at: node, attempt: attempt + 1) }
    }
    nonisolated(unsafe) let retry = again
    let request = CreationRequest(body, socketBase: "ws://n") { retry() }
    node.enter { hub in
      hub.create(request, at: time.now) { result in
        if case .failure(.unavailable) = result, attempt < 50 { again() }
      }
    }
  }

  /// A client connects, sends a command or disconnects, then acts again later.
  private func act(_ client: ClusterClient) {
    var pauseMax = isCalm ? 500 : 1500
    defer { time.after(random.within(20...pauseMax)) { [unowned self] in act(client) } }
    guard !client.hasEnded else { return }
    guard let connection = client.connection else { return connect(client) }
    guard client.isLive, !isCalm else { return }
    switch random.below(12) {
    case 0:
      disconnect(client, connection)
      // Often so long that the member leaves.
      pauseMax = 8000
    case 1: connect(client)
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

  /// Connects to any node. An older connection is ignored, see ``forget(_:)``.
  func connect(_ client: ClusterClient) {
    connectionCount += 1
    let id = ConnectionID(raw: connectionCount)
    let node = random.pick(nodes)
    if let older = client.connection { forget(older) }
    client.closed(code: 1000)
    client.connection = id
    links[id] = (node, client)
    time.after(random.within(1...30)) { [unowned self] in
      node.enter { $0.opened(id, session: client.session, bearer: nil, at: self.time.now) }
      send(client.join, id)
    }
  }

  /// The client ignores a connection from now on; its node may notice later.
  private func forget(_ connection: ConnectionID) {
    if random.coin() { disconnect(connection) } else { links[connection] = nil }
  }

  /// Closes a connection; its node notices up to 4 s later.
  func disconnect(_ connection: ConnectionID) {
    guard let node = links.removeValue(forKey: connection)?.node else { return }
    time.after(random.within(0...4000)) { [unowned self] in
      node.enter { $0.closed(connection, at: self.time.now) }
    }
  }

  private func disconnect(_ client: ClusterClient, _ connection: ConnectionID) {
    forget(connection)
    client.closed(code: 1000)
  }

  private func send(_ text: String, _ connection: ConnectionID) {
    guard let node = links[connection]?.node else { return }
    time.after(5) { [unowned self] in
      node.enter { $0.received(connection, Array(text.utf8).span, at: self.time.now) }
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
      if let link, link.client.connection == connection { link.client.closed(code: code) }
      if byHub, let node = link?.node {
        node.enter { $0.closed(connection, at: self.time.now) }
      }
    }
  }
}
