import Foundation
import Synchronization

@testable import SessionLog

/// The synchronous standby of the test server, for one database: pg_receivewal, which receives and
/// flushes what a standby would. While it is stopped, commits wait for it.
final class TestStandby: Sendable {
  private let database: String
  /// Each start has a folder of its own: what comes after the end of the former one, the server may
  /// have removed meanwhile.
  private let folder: String
  private let process = Mutex<Process?>(nil)

  /// Starts it. From now on, new connections to the database wait for it.
  init(_ database: String) throws {
    self.database = database
    folder = NSTemporaryDirectory() + "pickerd-standby-\(UUID().uuidString)"
    try start()
    try set("SET synchronous_commit = on")
  }

  private func set(_ setting: String) throws {
    try TestServer.shared.connect(database).execute(
      script: "SET synchronous_commit = local; ALTER DATABASE \(database) \(setting)")
  }

  /// Starts it, and waits until it has everything.
  func start() throws {
    guard process.withLock({ $0 == nil }) else { return }
    let received = "\(folder)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: received, withIntermediateDirectories: true)
    let program = Process()
    program.executableURL = URL(filePath: "\(TestStandby.binaries)/pg_receivewal")
    program.arguments = [
      "--directory", received, "--host", TestServer.shared.folder, "--username", "pickerd",
      "--synchronous", "--no-loop",
    ]
    program.environment = ["PGAPPNAME": "standby", "PATH": "/usr/bin:/bin"]
    program.standardError = FileHandle.nullDevice
    try program.run()
    process.withLock { $0 = program }
    try wait(for: "a standby") {
      try count("pg_stat_replication", "sync_state = 'sync'") == 1
    }
  }

  /// Ends it without notice.
  func stop() throws {
    let program = process.withLock { program in
      defer { program = nil }
      return program
    }
    guard let program else { return }
    kill(program.processIdentifier, SIGKILL)
    program.waitUntilExit()
    try wait(for: "the end of the standby") { try count("pg_stat_replication", "true") == 0 }
  }

  /// Commits of new connections do not wait any more.
  func end() {
    try? start()
    try? set("RESET synchronous_commit")
    try? stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The number of connections of which a commit waits for the standby.
  ///
  /// - Parameter condition: SQL about the row in `pg_stat_activity`.
  func waits(_ condition: String) throws -> Int {
    try count(
      "pg_stat_activity",
      "datname = current_database() AND wait_event = 'SyncRep' AND \(condition)")
  }

  /// Ends these connections. Their transactions become visible, although the standby does not have
  /// them.
  func endWaiting(_ condition: String) throws {
    try TestServer.shared.connect(database).run(
      """
      SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'SyncRep' AND \(condition)
      """)
  }

  private func count(_ table: String, _ condition: String) throws -> Int {
    try TestServer.shared.connect(database).value(
      "SELECT count(*) FROM \(table) WHERE \(condition)") ?? 0
  }

  func wait(for what: String, _ holds: () throws -> Bool) throws {
    let begin = ContinuousClock.now
    while begin.duration(to: .now) < hung {
      if try holds() { return }
      Thread.sleep(forTimeInterval: 0.02)
    }
    throw StoreProblem("not within \(hung): \(what). Connections:\n\(try connections())")
  }

  /// The connections to the database, with what each one runs and waits for.
  private func connections() throws -> String {
    try TestServer.shared.connect(database).rows(
      """
      SELECT concat_ws(' | ', application_name, state, wait_event_type, wait_event,
        now() - query_start, pg_blocking_pids(pid)::text, left(query, 150))
      FROM pg_stat_activity WHERE datname = current_database() ORDER BY application_name
      """
    ) { try $0[0] as String }.joined(separator: "\n")
  }

  private static let binaries =
    ProcessInfo.processInfo.environment["PICKERD_TEST_POSTGRES"] ?? "/usr/lib/postgresql/15/bin"
}
