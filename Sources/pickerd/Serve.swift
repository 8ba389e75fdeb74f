import ArgumentParser
import Foundation
import Logging
import PickerServer

/// `pickerd serve`: the server, until it is told to stop.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serve sessions over HTTP and WebSocket.",
    discussion: """
      Every option can be an environment variable instead: PICKERD_LISTEN, \
      PICKERD_ADMIN_LISTEN, PICKERD_HOST, PICKERD_TRUSTED_PROXY, PICKERD_AUTH, \
      PICKERD_CLOCK, PICKERD_ORIGIN, PICKERD_STORE, PICKERD_LIMIT, PICKERD_WEB, \
      PICKERD_LOG_LEVEL, PICKERD_LOG_FORMAT, PICKERD_LOOPS. Several hosts, proxies, origins or limits are separated \
      by commas or blanks. An option overrides its variable.

      LIMITS (name, what holds if nothing is said, what it limits):
      \(ServerLimit.table)

      SIGNALS: SIGTERM and SIGINT tell the members to come back, close their connections, and end \
      the server with status 0.
      """)

  @Option(
    help: ArgumentHelp(
      "Where to listen: 127.0.0.1:7681, [::1]:7681, 0.0.0.0:80, or :0 for any free port of this "
        + "machine. (default: 127.0.0.1:7681)", valueName: "address:port"))
  var listen: String?

  @Option(
    help: ArgumentHelp(
      "Where /metrics is served, with /healthz and /readyz and nothing else: an address and a port "
        + "like --listen's, or off. The public listener never serves /metrics. (default: off)",
      valueName: "address:port|off"))
  var adminListen: String?

  @Option(
    help: ArgumentHelp(
      "A name that requests may carry in Host, such as pick.example.org; may be repeated. Others "
        + "are answered with 421, which stops DNS rebinding. Loopback names (localhost, 127.0.0.1, "
        + "[::1]) are always accepted. (default: on a loopback listener nothing else, elsewhere "
        + "any name)", valueName: "name"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "A proxy whose X-Forwarded-For and X-Forwarded-Proto are believed: an address or a range "
        + "such as 10.0.0.0/8; may be repeated. none: nobody's. (default: 127.0.0.0/8 and ::1)",
      valueName: "cidr|none"))
  var trustedProxy: [String] = []

  @Option(
    help: ArgumentHelp(
      "Who may do what. open: everybody with the link, the first member is the owner. token: each "
        + "session is created with three tokens, for owner, editor and viewer. (default: open)",
      valueName: "open|token"))
  var auth: String?

  @Option(
    help: ArgumentHelp(
      "Whose time it is. system: the machine's. manual: it stands, and moves when POST /v1/clock "
        + "says so; for tests. (default: system)", valueName: "system|manual"))
  var clock: String?

  @Option(
    help: ArgumentHelp(
      "A web origin whose pages may connect, such as https://example.org; may be repeated. "
        + "(default: only pages from the host that the request itself names)", valueName: "origin"))
  var origin: [String] = []

  @Option(
    help: ArgumentHelp(
      "Where sessions are kept. sqlite:PATH: in a file, through crashes and restarts. memory: in "
        + "the process, and they end with it. (default: \(StoreLocation.standard))",
      valueName: "sqlite:PATH|memory:"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "Set a limit, such as members=50; may be repeated. LIMITS above lists them.",
      valueName: "name=number"))
  var limit: [String] = []

  @Option(
    help: ArgumentHelp(
      "The folder with the demo page and the browser client. (default: web next to the program, "
        + "../share/pickerd/web, or the web of the checkout it was built in)", valueName: "folder"))
  var web: String?

  @Option(
    help: ArgumentHelp(
      "How much to log on standard error. (default: notice)",
      valueName: "critical|error|warning|notice|info|debug|trace"))
  var logLevel: String?

  @Option(
    help: ArgumentHelp(
      "The format of log lines: text, or a JSON object per line. (default: text)",
      valueName: "text|json"))
  var logFormat: String?

  @Option(
    help: ArgumentHelp(
      "How many threads serve. Each session is one thread's, so that more of them help many "
        + "sessions, not one. (default: the number of cores)", valueName: "number"))
  var loops: String?

  @Flag(help: "Check the configuration, print it, and do not serve.")
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
      LoggingSystem.bootstrap { [level = configuration.logLevel, format = configuration.logFormat] _ in
        LineLogHandler(level, format)
      }
      server = try Server(configuration, log: Logger(label: "pickerd"))
    } catch {
      complain("\(error)")
      throw ExitCode(EX_UNAVAILABLE)
    }
    if let adminURL = server.adminURL { print("pickerd admin \(adminURL)") }
    // A pipe is buffered; the process that started the server waits for this line.
    print("pickerd serves \(server.url)")
    fflush(nil)
    server.run()
  }

  /// The options and the environment together, checked.
  private func checked() throws -> ServerConfiguration {
    var texts = ConfigurationTexts()
    texts.listen = listen
    texts.adminListen = adminListen
    texts.hosts = host
    texts.trustedProxies = trustedProxy
    texts.auth = auth
    texts.clock = clock
    texts.origins = origin
    texts.store = store
    texts.limits = limit
    texts.web = web
    texts.logLevel = logLevel
    texts.logFormat = logFormat
    texts.loops = loops

    let environment = ProcessInfo.processInfo.environment
    texts.fill(from: environment)
    for name in ConfigurationTexts.unknownVariables(in: environment) {
      complain("the environment's \(name) is none that pickerd reads")
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
