import ArgumentParser
import Foundation
import PickerServer
import SessionLog

/// `pickerd replay`: replays a session's log.
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Replay a session's log: show its state at a revision, and who did what.",
    discussion: """
      The state of a session is a fold over its log. For a store, replay compares each stored \
      snapshot with the folded state; it writes nothing, and the server can keep running. For a \
      file with the response of GET /v1/sessions/ID/log, replay compares the changes in each line \
      with those that its command yields when folded, except for texts of rows and names of members.

        pickerd replay sqlite:/var/lib/pickerd/pickerd.sqlite 0pUZu3NiI_ZAxUZiWvSdYG --verbose
        curl -s http://127.0.0.1:7681/v1/sessions/ID/log | pickerd replay - --at 41

      The number of rows in a reload depends on the server's limit windowRows: if the server has \
      a value other than the default, set it with --limit or PICKERD_LIMIT. Time zone rules are \
      those of this machine.

      A standby of a database is read if it is the only host, or the URI has \
      target_session_attrs=standby.

      EXIT STATUS: 0 the stored and the folded state are equal. 1 they differ; the output names \
      the revision and the difference. 64 usage error. 65 the log is incomplete, invalid, or of \
      another session. 66 no such file or session. 74 the output cannot be written.
      """)

  @Argument(
    help: ArgumentHelp(
      "sqlite:PATH, postgres://…, a file with a session's log, or - for standard input.",
      valueName: "store|file"))
  var source: String

  @Argument(help: "The session's id, as in its URL. Required for stores.")
  var session: String?

  @Option(
    help: ArgumentHelp("Show the state at this revision. (default: the last)", valueName: "rev"))
  var at: Int?

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print each entry: its author, time, action and effects.")
  var verbose = false

  @Option(
    help: ArgumentHelp(
      "A limit of the server, such as windowRows=100; can be repeated.",
      valueName: "name=number"))
  var limit: [String] = []

  func run() throws {
    let answer: ReplayTool.Answer
    do {
      let tool = ReplayTool(limits: try settings())
      answer = try tool.replay(source, session: session, at: at, isVerbose: verbose)
    } catch let problem as ReplayProblem {
      let status =
        switch problem.kind {
        case .usage: EX_USAGE
        case .noInput: EX_NOINPUT
        case .badData: EX_DATAERR
        }
      throw complain("replay", printable(problem.description), status)
    } catch let problem as ConfigurationProblems {
      throw complain("replay", printable(problem.description), EX_USAGE)
    }
    let output = json ? answer.json + [UInt8(ascii: "\n")] : Array(answer.text.utf8)
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(output))
    } catch {
      throw complain(
        "replay", "cannot write the output: \(error.localizedDescription)", EX_IOERR)
    }
    if !answer.isEqual { throw ExitCode(1) }
    if !answer.isWhole { throw ExitCode(EX_DATAERR) }
  }

  private func settings() throws -> LimitSettings {
    let texts = ConfigurationTexts(
      options: [.limit: limit], environment: ProcessInfo.processInfo.environment)
    return try LimitSettings(texts[.limit])
  }
}
