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

      A PostgreSQL database is copied into such a file, too, with all sessions or one of them, \
      from which a server can serve them. Back up the database itself with PostgreSQL's \
      pg_basebackup, or pg_dump --schema=pickerd.

        pickerd backup postgres://pickerd@db1,db2/pickerd one.sqlite --session ID

      A standby is read if it is the only host, or the URI has target_session_attrs=standby.

      EXIT STATUS: 0 success. 64 usage error. 66 the store does not exist or cannot be read. \
      73 the backup cannot be created; an existing file is unchanged. 74 the output cannot be \
      written; the backup is complete.
      """)

  @Argument(
    help: ArgumentHelp(
      "The store, sqlite:PATH or postgres://...; sqlite: means the file in the state directory.",
      valueName: "store"))
  var store: String

  @Argument(help: ArgumentHelp("The file to create, PATH or sqlite:PATH.", valueName: "to"))
  var target: String

  @Option(help: ArgumentHelp("Copy only this session of a database.", valueName: "ID"))
  var session: String?

  @Flag(help: "Replace an existing file.")
  var force = false

  func run() throws {
    let file = try file()
    do {
      switch try StoreLocation(store) {
      case .sqlite(let path) where session == nil: try copy(path, to: file)
      case .sqlite: throw complain("backup", "--session needs a PostgreSQL store", EX_USAGE)
      case .memory:
        throw complain("backup", "memory: cannot be backed up; use sqlite:PATH", EX_USAGE)
      case .postgres(let address): try copy(address, to: file)
      }
    } catch let problem as ConfigurationProblem {
      throw complain("backup", problem.detail, EX_USAGE)
    }
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

  private func copy(_ address: PostgresAddress, to file: String) throws {
    do throws(DatabaseBackup.Failure) {
      let made = try DatabaseBackup.copy(
        of: address, session: session, to: file, isForced: force)
      report(made, file)
    } catch {
      switch error {
      case .source(let problem): throw complain("backup", problem.description, EX_NOINPUT)
      case .target(let problem): throw complain("backup", problem.description, EX_CANTCREAT)
      }
    }
    guard session == nil else { return }
    print(
      "pickerd backup: this is a copy to serve from a file; to restore the database itself, use "
        + "PostgreSQL's pg_basebackup, or pg_dump --schema=pickerd")
  }

  private func report(_ made: SQLiteBackup.Copy, _ file: String) {
    let sessions = made.sessionCount == 1 ? "1 session" : "\(made.sessionCount) sessions"
    print("pickerd backup: \(file) has \(sessions), \(made.byteCount) bytes")
  }
}
