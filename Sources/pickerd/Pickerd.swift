import ArgumentParser
import Foundation

@main
struct Pickerd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pickerd",
    abstract: "A server for shared pickers.",
    discussion: """
      Several people choose a date, a booking slot, a row of a cascade or of plain columns, or a \
      date range at the same time, each on their own device. Each picker is a session with a link. \
      Everyone who opens the link sees the changes of the others immediately, and the server \
      accepts only valid selections.
      """,
    version: pickerdRelease,
    subcommands: [
      Serve.self, Replay.self, Backup.self, Move.self, Join.self, Rehearse.self, Keys.self,
      Token.self,
      Deliver.self, Status.self, Sessions.self,
    ])

  /// Runs a command. Output that cannot be written is an error of a tool: a script would go on with
  /// a part of it.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
      if !(command is Serve), fflush(nil) != 0 {
        let reason = String(cString: strerror(errno))
        try? FileHandle.standardError.write(
          contentsOf: Data("pickerd: cannot write the output: \(reason)\n".utf8))
        throw ExitCode(EX_IOERR)
      }
    } catch {
      exit(withError: error)
    }
  }
}

/// The release, as in CHANGELOG.md.
let pickerdRelease = "0.1.0"
