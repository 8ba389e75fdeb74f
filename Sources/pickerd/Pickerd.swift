import ArgumentParser
import Foundation
import PickerTools

@main
struct Pickerd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pickerd",
    abstract: "A server for shared pickers.",
    discussion: """
      Several people choose a date, a booking slot, a row of a cascade or of plain columns, a date \
      range, or the times at which they are available, together and each on their own device. Each \
      picker is a session with a link. Everyone who opens the link sees the changes of the others \
      immediately, and the server accepts only valid selections.
      """,
    version: pickerdRelease,
    subcommands: [Serve.self, Join.self, Rehearse.self] + toolCommands)

  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
      if !(command is Serve) { try flushOutput() }
    } catch {
      exit(withError: error)
    }
  }
}

/// The release, as in the file VERSION.
let pickerdRelease = "1.0.0"
