import ArgumentParser
import Foundation
import PickerClient
import PickerTerminal
import PickerTools
import Synchronization

/// `pickerd join`: a client that reads commands and writes events as lines.
struct Join: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Join a session in a terminal, or from a script.",
    discussion: """
      The link is the one that the page shares, http://host:7681/s/ID, or the session's URL, \
      http://host:7681/v1/sessions/ID or ws://host:7681/v1/sessions/ID; https and wss use TLS. \
      The client reconnects automatically.

      LINES: commands are read from standard input, one per line, and executed in order: select \
      COLUMN TEXT (columns from 1, a row's text or key), find COLUMN TEXT (rows of a long column \
      by a part of their text), tap DATE, set VALUE (a date; two dates of a range or stay; a time \
      such as 2026-12-03 14:20 or 2026-12-03T13:20:00Z; or a row's text or key for each column, \
      such as Linux, Atom), mark GRADE CELLS (yes, maybe, no or none; cells such as 12-19 40), \
      confirm CELL, clear, undo, redo, confirm, cancel, reopen, rename NAME, touch DATE, touch \
      COLUMN TEXT, touch (ends touching), months FROM COUNT, show (everything there is to choose), \
      quit. The end of the input quits. A sentence is written per event, with a prefix: * \
      connection, = selection, ! command refused and why, ? unknown command. If somebody else has \
      changed the value before a command arrives, it is not done: the client says what is there \
      now, and the same line does it on this.

      JSON: --json writes one object per line, with a member event: connection (connection, close, \
      code, detail, waitingForToken), state (epoch, revision, status, result, columns, \
      calendar or availability; after each change of the server's state), members, touching \
      (with hover for pointers), notice (text), answer (line, id, done, revision, or code and \
      detail; after stale params with the revision and the member, by, of the change that was not \
      seen), found (line, id, column, generation, rows with row, key, text and at, more), \
      show (a state with all known rows or cells, the own role, and the number of commands \
      without an answer). \
      Commands are words, or objects as in the protocol without ref: \
      {"type":"tap","date":"2026-11-20","id":7}, \
      {"type":"set","result":{"start":"2026-11-20","end":"2026-11-24"}}, \
      {"type":"mark","grade":"yes","cells":[[12,20]]}, \
      {"type":"select","column":0,"text":"Green"}, \
      {"type":"find","column":0,"text":"gr","limit":20}, with columns and rows from 0; the answer \
      repeats the id, which can be any JSON value.

      EXIT STATUS: 0 success. 1 the server has closed the session permanently, or there was no \
      connection within --timeout. 2 a command was refused. 64 usage error.
      """)

  @Argument(help: ArgumentHelp("The session's link.", valueName: "url"))
  var url: String

  @Option(help: "The name that other members see. (default: guest)")
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The language of rows and days, a BCP 47 tag. (default: the definition's)", valueName: "tag"))
  var locale: String?

  @Option(
    help: ArgumentHelp(
      """
      The zone of the times of an availability, an IANA name. (default: that of this machine, \
      unless it is UTC; else the definition's)
      """, valueName: "zone"))
  var timeZone: String?

  @Option(
    help: """
      The session's token. (default: the link's ?token=, or the environment variable \
      PICKERD_TOKEN, which is not visible to other users in ps)
      """)
  var token: String?

  @Option(
    help: ArgumentHelp(
      """
      A file with the session's token instead of --token. It is read again before the token \
      expires and after the server has closed the connection because it has expired (4302) or \
      was revoked (4403), and must contain a new one then. After 4301 it is read again too, and \
      the same token is tried again with back-off: the server may not know its key yet.
      """, valueName: "path"))
  var tokenFile: String?

  // Scripts for 1.0.0, which could also draw, give it.
  @Flag(help: .hidden)
  var plain = false

  @Flag(help: "Write JSON objects, one per line, for scripts.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Exit after this time without a connection. (default: never)",
      valueName: "seconds"))
  var timeout: Double?

  func validate() throws {
    if token != nil && tokenFile != nil {
      throw ValidationError("--token and --token-file cannot be combined")
    }
    if plain && json { throw ValidationError("--plain and --json cannot be combined") }
    if let timeout, !(0...1_000_000).contains(timeout) {
      throw ValidationError("--timeout must be a number of seconds from 0 to 1000000")
    }
  }

  func run() throws {
    guard let address = SessionAddress(url) else {
      throw complain(
        "join", "\(url) is not a link such as http://127.0.0.1:7681/s/ID", EX_USAGE)
    }
    let picker = try connection(to: address)
    let (timeout, json) = (timeout, json)
    Task {
      let patience = timeout.map { Duration.seconds($0) }
      Foundation.exit(await LineClient(picker, isJSON: json, patience: patience).run())
    }
    dispatchMain()
  }

  private func connection(to address: SessionAddress) throws -> PickerConnection {
    guard let tokenFile else {
      let secret = token ?? address.token ?? ProcessInfo.processInfo.environment["PICKERD_TOKEN"]
      return PickerConnection(
        to: address, as: profile(token: secret))
    }
    let file = TokenFile(path: tokenFile)
    let first: String
    do { first = try file.read() } catch { throw complain("join", "\(error)", EX_USAGE) }
    let current = Mutex<PickerConnection?>(nil)
    let picker = PickerConnection(
      to: address, as: profile(token: first),
      tokenProvider: { try file.next(after: current.withLock { $0?.state.tokenCloseCode }) })
    current.withLock { $0 = picker }
    return picker
  }

  private func profile(token: String?) -> ClientProfile {
    let own = TimeZone.current.identifier
    let isUTC = ["GMT", "UTC", "Etc/UTC", "Etc/GMT"].contains(own)
    return ClientProfile(
      name: name, locale: locale, token: token, timeZone: timeZone ?? (isUTC ? nil : own))
  }
}
