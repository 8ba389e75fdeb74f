import ArgumentParser
import Foundation
import Logging
import PickerServer
import PickerTools

/// `pickerd serve`: runs the server until SIGTERM or SIGINT.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serve sessions over HTTP and WebSocket.",
    discussion: """
      Each option can also be set with an environment variable, PICKERD_ and its name in capitals \
      (PICKERD_LOG_LEVEL), and in the file of --config, by its name in camel case (logLevel). An \
      option overrides its variable, and the variable the file. Several hosts, proxies, origins or \
      limits in a variable are separated by commas or blanks; in the file they are lists, and \
      limits a mapping:

        listen: 0.0.0.0:7681
        host: [pick.example.org, pick.example.com]
        limit:
          connections: 50000

      LIMITS (name, default, description; names with Milliseconds or Seconds have that unit):
      \(ServerLimit.table)

      SIGNALS: on SIGTERM or SIGINT the server asks the members to reconnect later, closes their \
      connections, and exits with status 0. A second signal stops it immediately. On SIGHUP it \
      reads the file of --config, the key files and the certificate again: it applies \
      tlsCertificate, tlsKey and the limits of rates, which end with PerSecond, logs each change, \
      and names the settings that need a restart. With a problem in the file all settings keep \
      their values. A changed key file is read again within a second.
      """)

  @Option(.config) var config: [String] = []
  @Option(.listen) var listen: [String] = []
  @Option(.apiListen) var apiListen: [String] = []
  @Option(.nodeListen) var nodeListen: [String] = []
  @Option(.adminListen) var adminListen: [String] = []
  @Option(.adminKeys) var adminKeys: [String] = []
  @Option(.publicUrl) var publicUrl: [String] = []
  @Option(.host) var host: [String] = []
  @Option(.trustedProxy) var trustedProxy: [String] = []
  @Option(.tlsCertificate) var tlsCertificate: [String] = []
  @Option(.tlsKey) var tlsKey: [String] = []
  @Option(.redirectHttp) var redirectHttp: [String] = []
  @Option(.auth) var auth: [String] = []
  @Option(.audience) var audience: [String] = []
  @Option(.origin) var origin: [String] = []
  @Option(.store) var store: [String] = []
  @Option(.limit) var limit: [String] = []
  @Option(.loops) var loops: [String] = []
  @Option(.web) var web: [String] = []
  @Option(.calendarName) var calendarName: [String] = []
  @Option(.outlookLink) var outlookLink: [String] = []
  @Option(.logLevel) var logLevel: [String] = []
  @Option(.logFormat) var logFormat: [String] = []
  @Option(.clock) var clock: [String] = []

  @Flag(
    help: """
      Validate the configuration and exit: with status 0 after printing the settings in force, as \
      a configuration file with the source of each value; with status 1 after printing all \
      problems, or if the store is of a version that this one cannot read.
      """)
  var check = false

  func run() throws {
    let environment = ProcessInfo.processInfo.environment
    for name in ConfigurationTexts.unknownVariables(in: environment) {
      complain("serve", "unknown environment variable \(name) is ignored")
    }
    let loader = ConfigurationLoader(options: options, environment: environment)
    let loaded = try loaded(loader)
    if check {
      guard let problem = loaded.settings.store.problem else {
        print(loaded.summary)
        return try flushOutput()
      }
      throw complain("serve", "\(problem)", EXIT_FAILURE)
    }
    Server.blockSignals()
    let server: Server
    do {
      let (level, format) = (loaded.settings.logLevel, loaded.settings.logFormat)
      LoggingSystem.bootstrap { _ in LineLogHandler(level, format) }
      server = try Server(loaded, loader: loader, log: Logger(label: "pickerd"))
    } catch {
      throw complain("serve", "\(error)", EX_UNAVAILABLE)
    }
    announce(server, loaded.settings.logFormat)
    server.run()
    // Not `exit`: its handlers release what the threads of the store may still use, as OpenSSL's
    // digests while sessions are loaded.
    fflush(nil)
    _exit(EXIT_SUCCESS)
  }

  /// Prints the addresses of the server, in the format of its log.
  private func announce(_ server: Server, _ format: LogFormat) {
    let lines =
      server.apiURLs.map { "pickerd api \($0)" } + server.adminURLs.map { "pickerd admin \($0)" }
      + server.redirectURLs.map { "pickerd redirects \($0)" }
      + server.urls.map { "pickerd serves \($0)" }
    let log = Logger(label: "pickerd") { _ in
      LineLogHandler(.notice, format) { print($0, terminator: "") }
    }
    for line in lines {
      switch format {
      case .text: print(line)
      case .json: log.notice("\(line)")
      }
    }
    // The parent process may wait for these lines, and stdout is buffered if it is a pipe.
    fflush(nil)
  }

  /// The values of the command line options.
  private var options: [Setting: [String]] {
    [
      .config: config,
      .listen: listen,
      .apiListen: apiListen,
      .nodeListen: nodeListen,
      .adminListen: adminListen,
      .adminKeys: adminKeys,
      .publicUrl: publicUrl,
      .host: host,
      .trustedProxy: trustedProxy,
      .tlsCertificate: tlsCertificate,
      .tlsKey: tlsKey,
      .redirectHttp: redirectHttp,
      .auth: auth,
      .audience: audience,
      .origin: origin,
      .store: store,
      .limit: limit,
      .loops: loops,
      .web: web,
      .calendarName: calendarName,
      .outlookLink: outlookLink,
      .logLevel: logLevel,
      .logFormat: logFormat,
      .clock: clock,
    ]
  }

  /// The validated configuration from options, environment and file.
  private func loaded(_ loader: ConfigurationLoader) throws -> LoadedConfiguration {
    do {
      return try loader.load()
    } catch {
      for problem in error.all { complain("serve", problem.description) }
      throw ExitCode(check ? EXIT_FAILURE : EX_USAGE)
    }
  }
}

extension Option where Value == [String] {
  /// An option of the list of settings. If a setting with one value is repeated, the last applies.
  fileprivate init(wrappedValue: [String], _ setting: Setting) {
    self.init(
      wrappedValue: wrappedValue, name: .customLong(setting.flagName),
      help: ArgumentHelp("\(setting.help)", valueName: setting.row.valueName))
  }
}
