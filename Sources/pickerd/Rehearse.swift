import ArgumentParser
import Foundation
import PickerRehearsal
import PickerServer
import PickerTools

/// `pickerd rehearse`: a conformance test for clients.
struct Rehearse: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Test your own client against the client contract, in scripted sessions.",
    discussion: """
      Each scene is a separate session, in which the server and another member create the \
      situations that clients handle wrong: a lost connection, stale rows, a snapshot instead of \
      deltas. After each step the client's state is compared with the server's.

        pickerd rehearse -- python web/guide/rehearse.py {url}
        pickerd rehearse --listen 127.0.0.1:7690

      COMMAND is started for each scene, with {url} replaced by the session's URL, ws://…. It \
      reads the actions of its user from standard input, one JSON object per line: the commands of \
      the protocol without ref, generation and key, such as {"type":"tap","date":"2026-11-20"} or \
      {"type":"select","column":0,"row":3}. On {"type":"state"} it prints its state on one line; \
      other output is ignored. It exits at the end of its input.

      The state is the protocol's snapshot with all deltas applied, and three more fields: \
      "revision", "role" (of the client's member) and "unanswered" (the number of commands without \
      an answer): \
      {"revision":4,"role":"owner","unanswered":0,"status":"open","result":null,"columns":[…]}.

      Without COMMAND, an app or a page that is running already polls \
      GET http://ADDRESS/rehearse/next about every 50 ms (204: no instruction) and posts its state \
      to /rehearse/state. It gets two more instructions: {"type":"open","url":"ws://…"}: forget \
      everything and join that session; and {"type":"quit"}.

      EXIT STATUS: 0 all scenes passed. 1 a scene failed; the report quotes the violated sentence \
      of the contract. 64 usage error. 69 cannot listen on the address. 73 the file of \
      --junit cannot be written.

      SCENES, and whether they are played with \(kinds("and")), where wheels are date, slot, \
      columns and cascade. One with several kinds is also several scenes: resume is \
      \(kinds("and", of: "resume-")).
      \(Scene.table.map { row in
        let kinds = SceneKind.allCases.map { row.kinds.contains($0) ? $0.rawValue.prefix(1) : "-" }
        return "  \(kinds.joined()) \(row.title): \(row.summary)"
      }.joined(separator: "\n"))
      """)

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp(
      "The client, after --; {url} is replaced by the session's URL.", valueName: "command"))
  var command: [String] = []

  @Option(
    help: ArgumentHelp("Run only this scene; can be repeated. (default: all)", valueName: "name"))
  var scene: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run only the scenes of this kind, \(kinds("or")); can be repeated.",
      valueName: "kind"))
  var kind: [SceneKind] = []

  @Option(help: ArgumentHelp("Write a JUnit XML report.", valueName: "file"))
  var junit: String?

  @Option(help: ArgumentHelp("The number of scenes that run in parallel.", valueName: "number"))
  var jobs = 4

  @Option(
    help: ArgumentHelp(
      "The time that the client may take for each immediate reaction.", valueName: "seconds"))
  var patience = 3.0

  @Option(
    help: ArgumentHelp(
      "Without COMMAND: the address for clients to poll.", valueName: "address:port"))
  var listen = "127.0.0.1:7690"

  private var scenes: [Scene] {
    Scene.all.filter { one in
      (scene.isEmpty || scene.contains(where: one.isCalled))
        && (kind.isEmpty || kind.contains(one.kind))
    }
  }

  func validate() throws {
    if let unknown = scene.first(where: { name in !Scene.all.contains { $0.isCalled(name) } }) {
      throw ValidationError("--scene \(unknown) is unknown; see SCENES in --help")
    }
    if scenes.isEmpty { throw ValidationError("no such scene is played with that kind of picker") }
    guard (1...64).contains(jobs) else { throw ValidationError("--jobs must be from 1 to 64") }
    guard patience > 0, patience <= 600 else {
      throw ValidationError("--patience must be a number of seconds up to 600")
    }
  }

  func run() throws {
    // Before the scenes, which take minutes.
    if let junit, !FileManager.default.createFile(atPath: junit, contents: nil) {
      throw complain(
        "rehearse", "cannot write \(junit): its folder must exist and be writable", EX_CANTCREAT)
    }
    let outcomes = command.isEmpty ? try polled(scenes) : processes(scenes)
    let report = RehearsalReport(outcomes)
    print(report.summary)
    if let junit { try Data(report.junit.utf8).write(to: URL(fileURLWithPath: junit)) }
    fflush(nil)
    // Not by returning: threads of the scenes' event loops are still running.
    Foundation.exit(report.failureCount == 0 ? 0 : 1)
  }

  private func processes(_ scenes: [Scene]) -> [Rehearsal.Outcome] {
    Rehearsal(scenes, patience: patience, command: command).run(jobs: jobs, report: Self.report)
  }

  private func polled(_ scenes: [Scene]) throws -> [Rehearsal.Outcome] {
    let client: PolledClient
    do {
      let address = try TCPAddress(listen)
      client = try PolledClient(host: address.host, port: UInt16(address.port))
    } catch {
      try? FileHandle.standardError.write(contentsOf: Data("pickerd rehearse: \(error)\n".utf8))
      throw ExitCode(EX_UNAVAILABLE)
    }
    print("pickerd rehearses the client that polls \(client.url)/rehearse/next")
    fflush(nil)
    defer { client.stop() }
    return Rehearsal(scenes, patience: patience) { client }.run(jobs: 1, report: Self.report)
  }

  private static let report: @Sendable (Rehearsal.Outcome) -> Void = { outcome in
    print(RehearsalReport.text(of: outcome))
    fflush(nil)
  }
}

extension SceneKind: ExpressibleByArgument {}

/// The kinds of pickers of scenes, as a list in a sentence.
private func kinds(_ last: String, of scene: String = "") -> String {
  let names = SceneKind.allCases.map { scene + $0.rawValue }
  return "\(names.dropLast().joined(separator: ", ")) \(last) \(names.last!)"
}
