import ArgumentParser

/// The program: what it does is in its subcommands.
@main
struct Pickerd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pickerd",
    abstract: "A server for pickers that several people turn together.",
    discussion: """
      A picker (a date, a booking slot, a cascade, plain columns, a calendar's range) lives in a \
      session with a link. Whoever opens the link sees every tap of the others, and nobody can \
      pick what does not exist.
      """,
    version: pickerdRelease,
    subcommands: [Serve.self, Replay.self, Backup.self, Join.self])
}

/// The release, as in CHANGELOG.md.
let pickerdRelease = "0.1.0"
