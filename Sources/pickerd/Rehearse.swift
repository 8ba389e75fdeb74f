import ArgumentParser
import Foundation
import PickerRehearsal
import PickerServer

/// `pickerd rehearse`: plays scripted sessions with a client and checks it against the contract.
struct Rehearse: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a client of yours against the contract, in scripted sessions.",
    discussion: """
      Each scene is a session of its own, in which the server and another member do what clients \
      get wrong: the line is cut, rows become stale, a snapshot replaces deltas. After each step \
      the client's folded state is compared with the server's.

        pickerd rehearse -- python web/guide/rehearse.py {url}
        pickerd rehearse --listen 127.0.0.1:7690

      A COMMAND is started for each scene with {url} replaced by the session's address, ws://…. \
      Standard input has what its user does, one JSON object a line: commands of the wire without \
      ref, generation and key, such as {"type":"tap","date":"2026-11-20"} or \
      {"type":"select","column":0,"row":3}. {"type":"state"} asks for the folded state, which the \
      client prints as one line; other output is ignored. The end of the input ends it.

      The state is the snapshot of the wire with every delta folded in, and beside its fields \
      "revision", "role" (the member's own) and "unanswered" (how many commands have no answer): \
      {"revision":4,"role":"owner","unanswered":0,"status":"open","result":null,"columns":[…]}.

      Without a COMMAND a client that runs already, an app or a page, asks \
      GET http://ADDRESS/rehearse/next every 50 ms or so (204: nothing to do) and posts its state \
      to /rehearse/state. Two instructions more: {"type":"open","url":"ws://…"}, forget everything \
      and join that session, and {"type":"quit"}.

      EXIT STATUS: 0 all scenes passed. 1 one did not; the report says which sentence of the \
      contract was broken. 64 wrong usage. 69 the address cannot be listened at.

      SCENES:
      \(Scene.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))
      """)

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp(
      "The client, after --; {url} is the session's address.", valueName: "command"))
  var command: [String] = []

  @Option(
    help: ArgumentHelp("Play this scene only; may be repeated. (default: all)", valueName: "name"))
  var scene: [String] = []

  @Option(help: ArgumentHelp("Write a report in JUnit's XML.", valueName: "file"))
  var junit: String?

  @Option(help: ArgumentHelp("How many scenes are played at a time.", valueName: "number"))
  var jobs = 4

  @Option(
    help: ArgumentHelp(
      "How long the client may take for what it should do at once.", valueName: "seconds"))
  var patience = 3.0

  @Option(
    help: ArgumentHelp(
      "Where a client that runs already asks for instructions.", valueName: "address:port"))
  var listen = "127.0.0.1:7690"

  func validate() throws {
    if let unknown = scene.first(where: { name in !Scene.all.contains { $0.name == name } }) {
      throw ValidationError("--scene \(unknown) is no scene; see SCENES in --help")
    }
    guard (1...64).contains(jobs) else { throw ValidationError("--jobs is 1 to 64") }
    guard patience > 0, patience <= 600 else { throw ValidationError("--patience is 0.1 to 600") }
  }

  func run() throws {
    let scenes = Scene.all.filter { scene.isEmpty || scene.contains($0.name) }
    let outcomes = command.isEmpty ? try polled(scenes) : processes(scenes)
    let report = RehearsalReport(outcomes)
    print(report.summary)
    if let junit { try Data(report.junit.utf8).write(to: URL(fileURLWithPath: junit)) }
    fflush(nil)
    // Loops of scenes may be ending still.
    Foundation.exit(report.failureCount == 0 ? 0 : 1)
  }

  private func processes(_ scenes: [Scene]) -> [Rehearsal.Outcome] {
    Rehearsal(scenes, patience: patience, command: command).run(jobs: jobs, tell: Self.tell)
  }

  private func polled(_ scenes: [Scene]) throws -> [Rehearsal.Outcome] {
    let client: PolledClient
    do {
      let address = try ListenAddress(listen)
      client = try PolledClient(host: address.host, port: UInt16(address.port))
    } catch {
      FileHandle.standardError.write(Data("pickerd rehearse: \(error)\n".utf8))
      throw ExitCode(EX_UNAVAILABLE)
    }
    print("pickerd rehearses the client that asks \(client.url)/rehearse/next")
    fflush(nil)
    defer { client.stop() }
    return Rehearsal(scenes, patience: patience) { client }.run(jobs: 1, tell: Self.tell)
  }

  private static let tell: @Sendable (Rehearsal.Outcome) -> Void = { outcome in
    print(RehearsalReport.text(of: outcome))
    fflush(nil)
  }
}
