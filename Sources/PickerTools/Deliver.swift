import ArgumentParser
import Foundation
import Logging
import PickerServer

extension LogFormat: ExpressibleByArgument {}

/// `pickerd deliver`: posts the events of the feed to endpoints.
struct Deliver: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Post the events of a server's feed to HTTPS endpoints, as Standard Webhooks.",
    discussion: """
      Reads the feed of a server and posts each event to the endpoints of the configuration file, \
      at least once, and in order for each session. Runs beside the server; after a restart it \
      continues where it stopped.

        key: pk_…                # with API keys: one that has the scope feed
        endpoints:
          - name: shop
            url: https://shop.example/hook
            types: [session.confirmed]
            secrets: [whsec_…]

      The file is YAML or JSON.

      Of two processes with one configuration file, the second waits until the first has ended.

      EXIT STATUS: 0 success. 1 --resume, --replay or --test has failed, or libcurl is missing. 64 \
      usage error. 65 the configuration is invalid.
      """)

  @Option(
    help: ArgumentHelp(
      "The server. With --auth keys:FILE its address, as http://127.0.0.1:7681; otherwise that "
        + "of its --admin-listen, as http://127.0.0.1:7682.", valueName: "url"))
  var feed: String

  @Option(help: ArgumentHelp("The configuration file, mode 0600.", valueName: "file"))
  var config: String

  @Option(help: ArgumentHelp("Let a stopped endpoint go on, and exit.", valueName: "name"))
  var resume: String?

  @Option(help: ArgumentHelp("Send events again, and exit.", valueName: "first..last"))
  var replay: String?

  @Option(
    help: ArgumentHelp("Send one signed event of the type test, and exit.", valueName: "name"))
  var test: String?

  @Flag(help: "Also allow endpoints with http:.")
  var allowHttp = false

  @Option(
    help: ArgumentHelp(
      "Also connect to these addresses that are not public; can be repeated.", valueName: "cidr"))
  var allowNet: [String] = []

  @Option(help: "How log lines are written: text or json.")
  var logFormat = LogFormat.text

  func validate() throws {
    let url = URLComponents(string: feed)
    guard let url, ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
      (1...65_535).contains(url.port ?? 80)
    else {
      throw ValidationError("--feed must be a URL with a host, as http://127.0.0.1:7681")
    }
    if [replay, resume, test].count(where: { $0 != nil }) > 1 {
      throw ValidationError("--replay, --resume and --test are actions: give one of them")
    }
    if replay != nil && positions == nil {
      throw ValidationError("--replay must be two positions of the feed, as 900..1042")
    }
    for range in allowNet where AddressRange(range) == nil {
      throw ValidationError("--allow-net \(range) is not an address or a range, as 10.0.0.0/8")
    }
  }

  private var positions: ClosedRange<Int>? {
    let parts = (replay ?? "").components(separatedBy: "..").map { Int($0) }
    guard parts.count == 2, let first = parts[0], let last = parts[1], 1 <= first, first <= last
    else { return nil }
    return first...last
  }

  func run() throws {
    let settings: DeliverySettings
    do {
      settings = try DeliverySettings(path: config)
    } catch {
      throw complain("deliver", "\(error)")
    }
    if let name = resume ?? test, !settings.endpoints.contains(where: { $0.name == name }) {
      throw complain("deliver", "\(config) has no endpoint \(name)")
    }
    if let resume {
      return try Deliver.reporting {
        try DeliveryLoop.resume(resume, feed: feed, key: settings.key)
      }
    }
    let used = settings.endpoints.filter { test == nil || $0.name == test }
    if !allowHttp, let endpoint = used.first(where: { $0.url.hasPrefix("http:") }) {
      throw complain(
        "deliver", "the endpoint \(endpoint.name) has no https: URL; --allow-http allows that")
    }
    let log = Logger(label: "pickerd") { _ in
      LineLogHandler(.notice, logFormat)
    }
    let policy = AddressPolicy(allowed: allowNet.compactMap { AddressRange($0) })
    if test != nil {
      return try Deliver.reporting {
        print(try DeliveryLoop.test(used[0], policy: policy, allowsHTTP: allowHttp))
      }
    }
    let loop = try Deliver.reporting {
      try DeliveryLoop(
        settings, feed: feed, policy: policy, allowsHTTP: allowHttp, replay: positions,
        log: log)
    }
    if replay == nil { waitForTurn(log) }
    if !loop.run() { throw ExitCode(1) }
  }

  /// Waits until no other process delivers with the configuration file. The lock ends with the
  /// process, however that ends: its descriptor stays open.
  private func waitForTurn(_ log: Logger) {
    let descriptor = open(config, O_RDONLY | O_CLOEXEC)
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
    guard errno == EWOULDBLOCK else {
      let reason = String(cString: strerror(errno))
      log.warning("\(config) cannot be locked against a second process: \(reason)")
      return
    }
    log.notice("another process delivers with \(config); this one waits for its end")
    while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
    log.notice("the other process has ended; this one goes on")
  }

  /// Reports a problem and ends with status 1.
  private static func reporting<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw complain("deliver", "\(error)", EXIT_FAILURE)
    }
  }
}
