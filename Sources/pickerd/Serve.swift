import ArgumentParser
import Foundation
import Logging
import PickerServer

/// `pickerd serve`: runs the server until SIGTERM or SIGINT.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serve sessions over HTTP and WebSocket.",
    discussion: """
      Each option can also be set with an environment variable: PICKERD_LISTEN, \
      PICKERD_ADMIN_LISTEN, PICKERD_HOST, PICKERD_TRUSTED_PROXY, PICKERD_AUTH, PICKERD_AUDIENCE, \
      PICKERD_CLOCK, PICKERD_ORIGIN, PICKERD_STORE, PICKERD_LIMIT, PICKERD_WEB, \
      PICKERD_LOG_LEVEL, PICKERD_LOG_FORMAT, PICKERD_LOOPS, PICKERD_CALENDAR_NAME, \
      PICKERD_OUTLOOK_LINK. Several hosts, proxies, origins or limits are separated by commas or \
      blanks. An option overrides its variable.

      LIMITS (name, default, description; names with Milliseconds or Seconds have that unit):
      \(ServerLimit.table)

      SIGNALS: on SIGTERM or SIGINT the server asks the members to reconnect later, closes their \
      connections, and exits with status 0. A second signal stops it immediately. With --auth keys \
      SIGHUP reads the key file again, which also happens within a second when it changes; \
      otherwise SIGHUP is ignored.
      """)

  @Option(
    help: ArgumentHelp(
      "The address to listen on: 127.0.0.1:7681, [::1]:7681, 0.0.0.0:80, or :0 for any free port "
        + "on 127.0.0.1. (default: 127.0.0.1:7681)", valueName: "address:port"))
  var listen: String?

  @Option(
    help: ArgumentHelp(
      "The address of the admin listener, which serves only /metrics, /healthz and /readyz: an "
        + "address as for --listen, or off. The public listener never serves /metrics. "
        + "(default: off)",
      valueName: "address:port|off"))
  var adminListen: String?

  @Option(
    help: ArgumentHelp(
      "A name to accept in the Host header, such as pick.example.org; can be repeated. Other names "
        + "are answered 421, as protection against DNS rebinding. Loopback names (localhost, "
        + "127.0.0.1, [::1]) are always accepted. (default: on a loopback listener only the "
        + "loopback names, otherwise any name)", valueName: "name"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "A proxy whose X-Forwarded-For and X-Forwarded-Proto headers are trusted: an address, or a "
        + "range such as 10.0.0.0/8; can be repeated. none: trust no proxy. "
        + "(default: 127.0.0.0/8 and ::1)",
      valueName: "cidr|none"))
  var trustedProxy: [String] = []

  @Option(
    help: ArgumentHelp(
      "Access control. open: everyone with the link can join, and the first member is the owner. "
        + "token: each session is created with three tokens, for owner, editor and viewer. "
        + "keys: a host has the API keys of a file (see pickerd key --help) and signs the tokens "
        + "of its users. (default: open)",
      valueName: "open|token|keys:FILE"))
  var auth: String?

  @Option(
    help: ArgumentHelp(
      "The aud of member tokens, with --auth keys. (default: pickerd)", valueName: "name"))
  var audience: String?

  @Option(
    help: ArgumentHelp(
      "Time source of the sessions. system: the system clock. manual: frozen until set with POST "
        + "/v1/clock, for tests. (default: system)", valueName: "system|manual"))
  var clock: String?

  @Option(
    help: ArgumentHelp(
      "A web origin whose pages may connect, such as https://example.org; can be repeated. "
        + "(default: only pages from the host in the request's Host header)", valueName: "origin"))
  var origin: [String] = []

  @Option(
    help: ArgumentHelp(
      "Session store. sqlite:PATH: a file, which survives crashes and restarts. memory: the "
        + "process's memory; sessions are lost when it ends. (default: \(StoreLocation.standard))",
      valueName: "sqlite:PATH|memory:"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "Set a limit, such as members=50; can be repeated. See LIMITS above.",
      valueName: "name=number"))
  var limit: [String] = []

  @Option(
    help: ArgumentHelp(
      "The folder with the demo page and the browser client. (default: web next to the program, "
        + "../share/pickerd/web, or the web of the checkout it was built in)", valueName: "folder"))
  var web: String?

  @Option(
    help: ArgumentHelp(
      "The minimum level of log lines, which go to standard error. (default: notice)",
      valueName: "critical|error|warning|notice|info|debug|trace"))
  var logLevel: String?

  @Option(
    help: ArgumentHelp(
      "The format of log lines: text, or a JSON object per line. (default: text)",
      valueName: "text|json"))
  var logFormat: String?

  @Option(
    help: ArgumentHelp(
      "The number of event loops, each with its own thread. Each session belongs to one loop, so "
        + "that more loops help many sessions, but not a single one. (default: the number of "
        + "cores)", valueName: "number"))
  var loops: String?

  @Option(
    help: ArgumentHelp(
      "The domain part of event UIDs, after the @, such as pick.example.org. Calendars recognize "
        + "an imported event by its UID, so do not change the name later. (default: pickerd)",
      valueName: "name"))
  var calendarName: String?

  @Option(
    help: ArgumentHelp(
      "The URL of Outlook's form for a new event, with {title}, {start}, {end} and {allday}. It "
        + "can be set because Microsoft does not document it and has changed it. (default: "
        + "Outlook.com's)", valueName: "template"))
  var outlookLink: String?

  @Flag(help: "Validate the configuration, print it, and exit.")
  var check = false

  func run() throws {
    let configuration = try checked()
    if check {
      print(configuration.summary)
      return
    }
    Server.blockSignals()
    let server: Server
    do {
      let (level, format) = (configuration.logLevel, configuration.logFormat)
      LoggingSystem.bootstrap { _ in LineLogHandler(level, format) }
      server = try Server(configuration, log: Logger(label: "pickerd"))
    } catch {
      complain("\(error)")
      throw ExitCode(EX_UNAVAILABLE)
    }
    if let adminURL = server.adminURL { print("pickerd admin \(adminURL)") }
    // Flush: the parent process may wait for this line, and stdout is buffered if it is a pipe.
    print("pickerd serves \(server.url)")
    fflush(nil)
    server.run()
  }

  /// The validated configuration from options and environment.
  private func checked() throws -> ServerConfiguration {
    var texts = ConfigurationTexts()
    texts.listen = listen
    texts.adminListen = adminListen
    texts.hosts = host
    texts.trustedProxies = trustedProxy
    texts.auth = auth
    texts.audience = audience
    texts.clock = clock
    texts.origins = origin
    texts.store = store
    texts.limits = limit
    texts.web = web
    texts.logLevel = logLevel
    texts.logFormat = logFormat
    texts.loops = loops
    texts.calendarName = calendarName
    texts.outlookLink = outlookLink

    let environment = ProcessInfo.processInfo.environment
    texts.fill(from: environment)
    for name in ConfigurationTexts.unknownVariables(in: environment) {
      complain("unknown environment variable \(name) is ignored")
    }
    do {
      return try ServerConfiguration(texts)
    } catch {
      complain(error.description)
      throw ExitCode(EX_USAGE)
    }
  }

  private func complain(_ sentence: String) {
    FileHandle.standardError.write(Data("pickerd serve: \(sentence)\n".utf8))
  }
}
