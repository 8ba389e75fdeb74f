import ArgumentParser
import Foundation
import PickerServer
import SessionLog

/// `pickerd backup`: a copy of a store, while it is served.
struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy a store into a file, while a server serves it.",
    discussion: """
      The copy is all of the store as it stood at one moment, in one file, checked and flushed. To \
      restore it, stop the server, move the store away with the files of its name that end \
      in -wal and -shm, put the copy in its place and start the server: every session then has a \
      new epoch, and clients begin from what the copy has.

        pickerd backup sqlite:/var/lib/pickerd/pickerd.sqlite /backup/pickerd-monday.sqlite

      EXIT STATUS: 0 the copy is there. 64 wrong usage. 66 no such store, or it cannot be read. \
      73 the copy cannot be made; a file that was there is as it was.
      """)

  @Argument(
    help: ArgumentHelp(
      "The store. sqlite: alone is the one in the state directory.", valueName: "sqlite:PATH"))
  var store: String

  @Argument(help: ArgumentHelp("The file to make.", valueName: "to"))
  var target: String

  @Flag(help: "Replace the file if it is there.")
  var force = false

  func run() throws {
    let path: String
    do {
      guard case .sqlite(let file) = try StoreLocation(store) else {
        throw complain("\(store) has nothing to copy; give sqlite:PATH", EX_USAGE)
      }
      path = file
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
