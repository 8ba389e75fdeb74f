import ArgumentParser
import Foundation
import PickerServer
import SessionLog

/// `pickerd replay`: what a session's log says, revision by revision.
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fold a session's log again: what stood at a revision, and who did what.",
    discussion: """
      A session is a fold over its log. From a store, every snapshot in it is compared with what \
      folding makes at its place; the server may go on serving it meanwhile, nothing is written. \
      From a file, which is what GET /v1/sessions/ID/log answered, every line's changes are \
      compared with what folding its command makes; texts of rows are not.

        pickerd replay sqlite:/var/lib/pickerd/pickerd.sqlite 0pUZu3NiI_ZAxUZiWvSdYG --verbose
        curl -s http://127.0.0.1:7681/v1/sessions/ID/log | pickerd replay - --at 41

      How many rows a reload shows is a limit of the server: if it has another windowRows than \
      the default, give it as --limit or in PICKERD_LIMIT. Zone rules are this machine's.

      EXIT STATUS: 0 what is stored is what folding makes. 1 it differs; the answer says at which \
      revision and in what. 64 wrong usage. 65 no whole log: cut, with gaps, of another session, \
      not readable. 66 no such file or session.
      """)

  @Argument(
    help: ArgumentHelp(
      "sqlite:PATH, a file with a session's log, or - for standard input.",
      valueName: "sqlite:PATH|file"))
  var source: String

  @Argument(help: "The session's id, as in its URL. Needed with sqlite:.")
  var session: String?

  @Option(
    help: ArgumentHelp("Show the state at this revision. (default: the last)", valueName: "rev"))
  var at: Int?

  @Flag(help: "Print one JSON object instead of lines.")
  var json = false

  @Flag(name: .shortAndLong, help: "Tell every entry: who did what when, and what came of it.")
  var verbose = false

  @Option(
    help: ArgumentHelp(
      "A limit of the server, such as windowRows=100; may be repeated.",
      valueName: "name=number"))
  var limit: [String] = []

  func run() throws {
    let answer: ReplayTool.Answer
    do {
      let tool = ReplayTool(limits: try settings())
      answer = try tool.replay(source, session: session, at: at, isVerbose: verbose)
    } catch let problem as ReplayProblem {
      complain(problem.description)
      switch problem.kind {
      case .usage: throw ExitCode(EX_USAGE)
      case .noInput: throw ExitCode(EX_NOINPUT)
      case .badData: throw ExitCode(EX_DATAERR)
      }
    } catch let problem as ConfigurationProblem {
      complain(problem.description)
      throw ExitCode(EX_USAGE)
    }
    let output = json ? answer.json + [UInt8(ascii: "\n")] : Array(answer.text.utf8)
    FileHandle.standardOutput.write(Data(output))
    if !answer.isEqual { throw ExitCode(1) }
    if !answer.isWhole { throw ExitCode(EX_DATAERR) }
  }

  private func settings() throws -> LimitSettings {
    var texts = ConfigurationTexts()
    texts.limits = limit
    texts.fill(from: ProcessInfo.processInfo.environment)
    return try LimitSettings(settings: texts.limits)
  }

  private func complain(_ sentence: String) {
    FileHandle.standardError.write(Data("pickerd replay: \(sentence)\n".utf8))
  }
}
