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

      EXIT STATUS: 0 success. 64 usage error. 66 the store does not exist or cannot be read. \
      73 the backup cannot be created; an existing file is unchanged.
      """)

  @Argument(
    help: ArgumentHelp(
      "The store; sqlite: means the file in the state directory.", valueName: "sqlite:PATH"))
  var store: String

  @Argument(help: ArgumentHelp("The file to create.", valueName: "to"))
  var target: String

  @Flag(help: "Replace an existing file.")
  var force = false

  func run() throws {
    let path: String
    do {
      switch try StoreLocation(store) {
      case .sqlite(let file): path = file
      case .memory: throw complain("memory: cannot be backed up; use sqlite:PATH", EX_USAGE)
      case .postgres(let address):
        throw complain(
          "\(address) cannot be backed up by pickerd; use PostgreSQL's pg_basebackup, or pg_dump "
            + "--schema=pickerd", EX_USAGE)
      }
    } catch let problem as ConfigurationProblem {
      throw complain(problem.detail, EX_USAGE)
    }
    let backup: SQLiteBackup
    do {
      backup = try SQLiteBackup(of: path)
    } catch {
      throw complain(error.description, EX_NOINPUT)
    }
    do {
      let made = try backup.copy(to: target, isForced: force)
      let sessions = made.sessionCount == 1 ? "1 session" : "\(made.sessionCount) sessions"
      print("pickerd backup: \(target) has \(sessions), \(made.byteCount) bytes")
    } catch {
      throw complain(error.description, EX_CANTCREAT)
    }
  }

  private func complain(_ sentence: String, _ status: Int32) -> ExitCode {
    FileHandle.standardError.write(Data("pickerd backup: \(sentence)\n".utf8))
    return ExitCode(status)
  }
}
