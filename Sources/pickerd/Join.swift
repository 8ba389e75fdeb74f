import ArgumentParser
import Foundation
import PickerClient
import PickerTerminal

/// `pickerd join`: a member of a session, in a terminal.
struct Join: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Join a session in a terminal.",
    discussion: """
      The link is what the page shares, http://host:7681/#/s/ID, or the socket's address, \
      ws://host:7681/v1/sessions/ID. Connections are plain ones here: for https, go through a \
      proxy on this machine that speaks TLS.

      KEYS: arrows turn a wheel or move the day; Tab goes to the next wheel; Enter taps the day; \
      Page Up, Page Down, Home, End go further. u undo, r redo, x clear, c confirm, o reopen, \
      q quit.

      With --plain, or where no terminal is, each thing that happens is a line, and standard input \
      is read for select COLUMN TEXT, tap DATE, clear, undo, redo, confirm, cancel, reopen, show \
      and quit. With --json the server's messages are printed instead.

      EXIT STATUS: 0 the end of it. 1 the server closed for good: no such session, ended, or a \
      token is needed. 64 wrong usage.
      """)

  @Argument(help: ArgumentHelp("The session's link.", valueName: "url"))
  var url: String

  @Option(help: "What others call you. (default: guest)")
  var name: String?

  @Option(help: ArgumentHelp("The language of texts, BCP 47.", valueName: "tag"))
  var locale: String?

  @Option(help: "The session's token. (default: PICKERD_TOKEN, which others cannot read in ps)")
  var token: String?

  @Flag(help: "Lines instead of a picture: for pipes and screen readers.")
  var plain = false

  @Flag(help: "The server's messages, one JSON object a line.")
  var json = false

  func run() throws {
    guard let address = SessionAddress(url) else {
      throw complain("\(url) is no link such as http://127.0.0.1:7681/#/s/ID")
    }
    guard !address.isSecure else {
      throw complain("\(url) needs TLS, which pickerd join does not speak; go through a proxy")
    }
    let secret = token ?? ProcessInfo.processInfo.environment["PICKERD_TOKEN"]
    let profile = ClientProfile(name: name, locale: locale, token: secret)
    let connection = PickerConnection(to: address, as: profile)
    Task { @MainActor in
      let status: Int32
      if json {
        status = await LineClient(connection).runJSON()
      } else if plain || !TerminalClient.canDraw {
        status = await LineClient(connection).runPlain()
      } else {
        status = await TerminalClient(connection).run()
      }
      // The farewell is on its way; the process may end.
      Foundation.exit(status)
    }
    dispatchMain()
  }

  private func complain(_ sentence: String) -> ExitCode {
    FileHandle.standardError.write(Data("pickerd join: \(sentence)\n".utf8))
    return ExitCode(EX_USAGE)
  }
}
