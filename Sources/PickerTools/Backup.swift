import ArgumentParser
import Foundation
import PickerServer
import SessionLog

/// `pickerd backup`: an online backup of a store.
struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Back up a store to a file. The server can keep running.",
    discussion: """
      The backup is a consistent copy of the store in one file, checked and flushed to disk. To \
      restore it: stop the server, move the store and its -wal and -shm files away, copy the \
      backup to the path of the store, and start the server. Every session then has a new epoch, \
      so that clients discard newer state and start from the backup.

        pickerd backup sqlite:/var/lib/pickerd/pickerd.sqlite /backup/pickerd-monday.sqlite

      Back up a PostgreSQL database with PostgreSQL's pg_dump, or pg_basebackup:

        pg_dump --format=custom --schema=pickerd --file=/backup/monday.dump \\
          postgres://pickerd@db1,db2/pickerd

      EXIT STATUS: 0 success. 64 usage error. 66 the store does not exist or cannot be read. \
      73 the backup cannot be created; an existing file is unchanged. 74 the output cannot be \
      written; the backup is complete.
      """)

  @Argument(
    help: ArgumentHelp(
      "The store; sqlite: means the file in the state directory.", valueName: "sqlite:PATH"))
  var store: String

  @Argument(help: ArgumentHelp("The file to create, PATH or sqlite:PATH.", valueName: "to"))
  var target: String

  @Flag(help: "Replace an existing file.")
  var force = false

  func run() throws {
    let source: String
    do throws(ConfigurationProblem) {
      switch try StoreLocation(store) {
      case .sqlite(let path): source = path
      case .memory: throw ConfigurationProblem("memory: cannot be backed up; use sqlite:PATH")
      case .postgres:
        throw ConfigurationProblem(
          "back up a database with PostgreSQL's pg_dump --schema=pickerd, or pg_basebackup")
      }
    } catch {
      throw complain("backup", error.detail, EX_USAGE)
    }
    try copy(source, to: try file())
  }

  /// The path of the file to create.
  private func file() throws -> String {
    if target.hasPrefix("postgres:") || target.hasPrefix("postgresql:") {
      throw complain(
        "backup", "a backup is a file; pickerd move copies a store to a database", EX_USAGE)
    }
    let scheme = "sqlite:"
    let path = target.hasPrefix(scheme) ? String(target.dropFirst(scheme.count)) : target
    if path.isEmpty { throw complain("backup", "give the name of the file to create", EX_USAGE) }
    return path
  }

  private func copy(_ path: String, to file: String) throws {
    let backup: SQLiteBackup
    do {
      backup = try SQLiteBackup(of: path)
    } catch {
      throw complain("backup", error.description, EX_NOINPUT)
    }
    do {
      report(try backup.copy(to: file, isForced: force), file)
    } catch {
      throw complain("backup", error.description, EX_CANTCREAT)
    }
  }

  private func report(_ made: SQLiteBackup.Copy, _ file: String) {
    let sessions = made.sessionCount == 1 ? "1 session" : "\(made.sessionCount) sessions"
    print("pickerd backup: \(file) has \(sessions), \(made.byteCount) bytes")
  }
}
