import Foundation
import PickerHub
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// A node that is cut off from the database does not wait for a failover: other nodes may reach it.
/// Nor does it wait for a server that another one has replaced.
@Suite(.database) struct CutOffTests {
  private func dial(_ ports: [SilentPort]) throws -> PostgresError {
    let hosts = ports.map { _ in "127.0.0.1" }.joined(separator: ",")
    let numbers = ports.map { "\($0.number)" }.joined(separator: ",")
    let address = try PostgresAddress(
      "postgres://pickerd@/postgres?host=\(hosts)&port=\(numbers)&connect_timeout=2")
    return try #require(
      #expect(throws: PostgresError.self) { try PostgresConnection(address, name: "tests") })
  }

  @Test func `a node is cut off if less than half of the hosts answer`() throws {
    let silent = try [SilentPort(), SilentPort()]
    let refusing = try [SilentPort(refuses: true), SilentPort(refuses: true)]

    #expect(try dial(silent).isCutOff)
    #expect(try dial(silent + [refusing[0]]).isCutOff)
    #expect(try !dial([silent[0], refusing[0]]).isCutOff)
    #expect(try !dial([silent[0]] + refusing).isCutOff)
    #expect(try !dial(refusing).isCutOff)
  }

  @Test func `a single host is waited for`() throws {
    #expect(try !dial([SilentPort()]).isCutOff)
  }

  /// Regression: after a failover, each connection to a primary that hung was waited for in turn.
  @Test func `connections to a server that was replaced fail`() async throws {
    let address = try TestServer.shared.address("postgres")
    let idle = try PostgresConnection(address, name: "idle")
    let isEnded = Mutex(false)
    let name = "sleeping-\(UUID().uuidString.prefix(8))"
    Thread.detachNewThread {
      let busy = try? PostgresConnection(address, name: name)
      busy?.seconds = 600
      if (try? busy?.run("SELECT pg_sleep(600)")) == nil { isEnded.withLock { $0 = true } }
    }
    let observer = try TestServer.shared.connect("postgres")
    try await wait(for: "the statement") {
      try observer.run(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE wait_event = 'PgSleep' AND application_name = $1
        """, [.text(name)]
      ).int(0, 0) == 1
    }

    // As a connection to another server does.
    address.currentServer.connected(to: 1)

    #expect(throws: PostgresError.self) { try idle.run("SELECT 1") }
    try await wait(for: "its end") { isEnded.withLock(\.self) }
    #expect(try PostgresConnection(address, name: "tests").run("SELECT 1").int(0, 0) == 1)
  }

  /// A node with one host that answers while `link` exists, and two that never do.
  private struct Node {
    let shelf: Shelf
    let link: String
    let node: TestNode
    private let ports: [SilentPort]

    init() throws {
      shelf = try Shelf(.postgres)
      ports = try [SilentPort(), SilentPort()]
      link = NSTemporaryDirectory() + "pickerd-\(UUID().uuidString.prefix(8))"
      let (one, two) = (ports[0].number, ports[1].number)
      let address = try PostgresAddress(
        "postgres://pickerd@/\(shelf.database)?host=\(link),127.0.0.1,127.0.0.1"
          + "&port=5432,\(one),\(two)&connect_timeout=2")
      try Node.connect(link)
      node = try TestNode(shelf, at: address)
      // No other reason ends the wait.
      node.log.queue.sync { node.log.waitSeconds = 600 }
    }

    private static func connect(_ link: String) throws {
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: TestServer.shared.folder)
    }

    func connect() throws { try Node.connect(link) }

    func cut() throws {
      try FileManager.default.removeItem(atPath: link)
      try TestServer.shared.connect(shelf.database).run(
        """
        SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """)
    }

    func waitForMessage(_ text: String) async throws {
      try await node.wait(for: text) { notice in
        if case .message(let message) = notice, message.contains(text) { true } else { nil }
      }
    }
  }

  @Test func `a command at a node that is cut off fails at once`() async throws {
    let cluster = try Node()
    let fixture = try LogFixture(in: cluster.node.log)
    cluster.node.log.flush()
    try cluster.cut()

    fixture.join("m_1")

    let lost = try await cluster.node.wait(for: "lost") { notice in
      if case .lost(let sessions) = notice { sessions } else { nil }
    }
    #expect(lost == [fixture.origin.id] && cluster.node.log.failure != nil)
    try cluster.connect()
    defer { try? FileManager.default.removeItem(atPath: cluster.link) }
    try await cluster.waitForMessage("is writable again")
    #expect(cluster.node.log.failure == nil)
  }

  @Test func `a node without commands finds out that it is cut off`() async throws {
    let cluster = try Node()
    try cluster.cut()

    try await cluster.waitForMessage("is not writable")

    #expect(cluster.node.log.failure != nil)
  }
}
