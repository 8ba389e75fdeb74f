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

  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
      if !(command is Serve) { try flushOutput() }
    } catch {
      exit(withError: error)
    }
  }

  /// Writes the buffered output. A tool that cannot write it fails, because a script would go on
  /// with a part of it.
  static func flushOutput() throws {
    guard fflush(nil) != 0 else { return }
    let reason = String(cString: strerror(errno))
    try? FileHandle.standardError.write(
      contentsOf: Data("pickerd: cannot write the output: \(reason)\n".utf8))
    throw ExitCode(EX_IOERR)
  }
}

/// The release, as in CHANGELOG.md.
let pickerdRelease = "0.1.0"
