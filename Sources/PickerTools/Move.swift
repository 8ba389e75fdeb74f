import ArgumentParser
import Foundation
import PickerServer
import SessionLog

/// `pickerd move`: copies an SQLite store to a database.
struct Move: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy an SQLite store to an empty PostgreSQL database.",
    discussion: """
      Stop the server first. Each session is copied in one transaction; an interrupted move is \
      continued when it is run again. A server refuses the database until the move is complete. \
      Sessions keep their ids, members and epochs, so that clients resume; those of a backup get \
      new epochs. The file keeps its sessions: do not serve it any more.

        pickerd move sqlite:/var/lib/pickerd/pickerd.sqlite postgres://pickerd@db1,db2/pickerd

      EXIT STATUS: 0 success. 64 usage error. 69 one of the stores cannot be used.
      """)

  @Argument(
    help: ArgumentHelp(
      "The store; sqlite: means the file in the state directory.", valueName: "sqlite:PATH"))
  var source: String

  @Argument(help: ArgumentHelp("The database.", valueName: "postgres://..."))
  var target: String

  func run() throws {
    let path: String
    let address: PostgresAddress
    do throws(ConfigurationProblem) {
      guard case .sqlite(let file) = try StoreLocation(source),
        case .postgres(let database) = try StoreLocation(target)
      else { throw ConfigurationProblem("use sqlite:PATH postgres://...") }
      (path, address) = (file, database)
    } catch {
      throw complain("move", error.detail, EX_USAGE)
    }
    do throws(StoreProblem) {
      let count = try StoreMove.move(from: path, to: address) { count, total in
        print("pickerd move: \(count) of \(total) sessions")
      }
      print("pickerd move: \(address) has \(count == 1 ? "1 session" : "\(count) sessions")")
    } catch {
      throw complain("move", error.description, EX_UNAVAILABLE)
    }
  }
}
