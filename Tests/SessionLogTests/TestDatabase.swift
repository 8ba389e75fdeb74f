import BackgroundWork
import Foundation
import PickerHub
import Synchronization

@testable import SessionLog

/// A PostgreSQL server of this test process, in a temporary folder. It ends with the process, also
/// if that is killed; see Tests/postgres/server.sh.
final class TestServer: Sendable {
  static let shared = TestServer()
  let folder: String
  private let input = Pipe()
  private let output = Pipe()
  private let free = Mutex<[String]>([])
  private let count = Mutex(0)

  init() {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let process = Process()
    process.executableURL = tests.appending(path: "postgres/server.sh")
    process.standardInput = input
    process.standardOutput = output
    try! process.run()
    folder = TestServer.line(from: output)
    precondition(!folder.isEmpty, "PostgreSQL did not start")
  }

  private static func line(from pipe: Pipe) -> String {
    var bytes: [UInt8] = []
    while let byte = try? pipe.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Sends a command to the script.
  func command(_ text: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(text)\n".utf8))
    guard TestServer.line(from: output) == "done" else { throw StoreProblem("\(text) has failed") }
  }

  func address(_ name: String) throws -> PostgresAddress {
    try PostgresAddress("postgres://pickerd@/\(name)?host=\(folder)&connect_timeout=600")
  }

  func connect(_ name: String) throws -> PostgresConnection {
    // A command may wait for what another thread of a busy machine has not begun yet.
    try PostgresConnection(
      try address(name), name: "tests", seconds: Int(hung.components.seconds))
  }

  /// A database without a schema `pickerd`: a new one, or a used one with a new name. A node of the
  /// test before may not have ended yet, and connects again: it finds no database.
  func acquire() throws -> String {
    let administration = try connect("postgres")
    let name = count.withLock { count in
      count += 1
      return "test\(count)"
    }
    guard let used = free.withLock({ $0.popLast() }) else {
      try administration.execute(script: "CREATE DATABASE \(name)")
      return name
    }
    try administration.execute(script: "ALTER DATABASE \(used) ALLOW_CONNECTIONS false")
    try administration.run(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", [used])
    try administration.execute(script: "ALTER DATABASE \(used) RENAME TO \(name)")
    try administration.execute(script: "ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
    try connect(name).execute(
      script: "SET client_min_messages = warning; DROP SCHEMA IF EXISTS pickerd CASCADE")
    return name
  }

  func release(_ name: String) { free.withLock { $0.append(name) } }
}
