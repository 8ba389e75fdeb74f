import ArgumentParser
import Foundation
import PickerClient
import PickerTerminal

/// `pickerd join`: a member of a session, in a terminal.
struct Join: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Join a session in a terminal, or from a script.",
    discussion: """
      The link is what the page shares, http://host:7681/#/s/ID, or the session's address, \
      http://host:7681/v1/sessions/ID or ws://host:7681/v1/sessions/ID; https and wss speak TLS. \
      A connection that is lost comes back by itself.

      KEYS: arrows turn a wheel or move the day; Tab goes to the next wheel or month; Enter taps \
      the day; Esc gives up an open range, or lifts the finger; Page Up, Page Down, Home, End go \
      further. u undo, r redo, x clear, c confirm, o reopen, q quit. Others' fingers are seen as \
      (12) around a day and ◂Name beside a row. 80 columns and 24 rows are enough for everything.

      LINES: with --plain, --json, or where no terminal is, standard input is read for commands, \
      one a line, each done before the next: select COLUMN TEXT (columns from 1, a row's text or \
      key), tap DATE, clear, undo, redo, confirm, cancel, reopen, touch DATE, touch COLUMN TEXT, \
      touch (lift), months FROM COUNT, show, quit. The end of the input is quit. --plain writes a \
      sentence for each thing that happens: * the connection, = what is chosen, ! what was not \
      done and why, ? what is no command.

      JSON: --json writes one object a line, with an event: connection (connection, close, code, \
      detail), state (epoch, revision, status, result, columns or calendar; whenever the server's \
      word differs), members, touching, notice (text), answer (line, id, done, revision, or code \
      and detail), show (a state with all rows or cells known). Commands are words, or objects as \
      in the protocol without ref: {"type":"tap","date":"2026-11-20","id":7}, \
      {"type":"select","column":0,"text":"Green"}, with columns and rows from 0; an id of any kind \
      comes back in the answer.

      EXIT STATUS: 0 the end of it. 1 the server closed for good, or there was no connection \
      within --timeout. 2 a command of the input was not done. 64 wrong usage.
      """)

  @Argument(help: ArgumentHelp("The session's link.", valueName: "url"))
  var url: String

  @Option(help: "What others call you. (default: guest)")
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The language of rows and days, BCP 47. (default: the definition's)", valueName: "tag"))
  var locale: String?

  @Option(
    help: """
      The session's token. (default: the link's ?token=, or PICKERD_TOKEN, which others cannot \
      read in ps)
      """)
  var token: String?

  @Flag(help: "Sentences instead of a picture: for pipes and screen readers.")
  var plain = false

  @Flag(help: "JSON objects, one a line: for scripts.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "With lines: give up after so long without a connection. (default: never)",
      valueName: "seconds"))
  var timeout: Double?

  func validate() throws {
    if plain && json { throw ValidationError("--plain and --json exclude each other") }
    if let timeout, !(0...1_000_000).contains(timeout) {
      throw ValidationError("--timeout is \(timeout); it is a number of seconds from 0 on")
    }
  }

  func run() throws {
    guard let address = SessionAddress(url) else {
      throw complain("\(url) is no link such as http://127.0.0.1:7681/#/s/ID")
    }
    let secret = token ?? address.token ?? ProcessInfo.processInfo.environment["PICKERD_TOKEN"]
    let profile = ClientProfile(name: name, locale: locale, token: secret)
    let picker = PickerConnection(to: address, as: profile)
    let (timeout, json) = (timeout, json)
    let drawsPicture = !plain && !json && TerminalClient.canDraw
    Task { @MainActor in
      let status: Int32
      if drawsPicture {
        status = await TerminalClient(picker).run()
      } else {
        let patience = timeout.map { Duration.seconds($0) }
        status = await LineClient(picker, isJSON: json, patience: patience).run()
      }
      Foundation.exit(status)
    }
    dispatchMain()
  }

  private func complain(_ sentence: String) -> ExitCode {
    FileHandle.standardError.write(Data("pickerd join: \(sentence)\n".utf8))
    return ExitCode(EX_USAGE)
  }
}
