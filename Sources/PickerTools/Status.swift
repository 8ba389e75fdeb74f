import ArgumentParser
import Foundation
import JSONText
import PickerServer

/// `pickerd status`: the figures of a running server.
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show a running server: sessions, loops, rates, latencies, store and feed.",
    discussion: """
      Reads the metrics of the admin listener (--admin-listen of pickerd serve) twice and prints \
      them: rates per second and latencies are those of the interval, durations are in seconds, \
      sizes in bytes. If the server has --admin-keys, an API key with the scope metrics is needed.

        watch pickerd status

      EXIT STATUS: 0 success. 64 usage error. 69 the server cannot be reached. 74 the output \
      cannot be written.
      """)

  @OptionGroup var admin: AdminAddress
  @OptionGroup var key: AdminKey

  // Scripts for 1.0.0, which could also draw, give it.
  @Flag(help: .hidden)
  var once = false

  @Flag(help: "Print a JSON object.")
  var json = false

  @Option(
    help: ArgumentHelp("The time between the two samples. (default: 1)", valueName: "seconds"))
  var interval = 1.0

  func validate() throws {
    guard (0.1...3_600).contains(interval) else {
      throw ValidationError("--interval must be a number of seconds from 0.1 to 3600")
    }
  }

  func run() throws {
    let before, after: String
    let clock = ContinuousClock()
    var start = clock.now
    do {
      let client = try AdminClient(url: admin.url, key: try key.read())
      func metrics() throws -> String {
        String(decoding: try client.request("GET", "/metrics").body, as: UTF8.self)
      }
      before = try metrics()
      start = clock.now
      Thread.sleep(forTimeInterval: interval)
      after = try metrics()
    } catch {
      throw complain("status", "\(error)", EX_UNAVAILABLE)
    }
    let status = ServerStatus(
      before: before, after: after, seconds: start.duration(to: clock.now) / .seconds(1))
    let url = JSONTree.Member("url", .string(admin.url))
    let document = JSONTree.object([url] + (status.document.members ?? []))
    print(
      json
        ? String(decoding: document.serialized(), as: UTF8.self) + "\n"
        : ServerStatus.page(document), terminator: "")
    try flushOutput()
  }
}

/// The server's admin listener.
struct AdminAddress: ParsableArguments {
  @Option(
    name: .customLong("admin"),
    help: ArgumentHelp(
      "The admin listener, such as http://127.0.0.1:7682 or unix:/run/pickerd/admin. (default: the "
        + "first address in PICKERD_ADMIN_LISTEN, or http://127.0.0.1:7682)", valueName: "url"))
  var given: String?

  var url: String {
    if let given {
      return given.contains("://") || given.hasPrefix("unix:") ? given : "http://\(given)"
    }
    let listen = ProcessInfo.processInfo.environment["PICKERD_ADMIN_LISTEN"] ?? ""
    let addresses = listen.split { $0 == "," || $0 == " " }
    return addresses.lazy.compactMap { AdminAddress.url(of: String($0)) }.first
      ?? "http://127.0.0.1:7682"
  }

  /// The URL of an admin listener on this machine; `nil` for sockets that systemd opens.
  private static func url(of listen: String) -> String? {
    guard let address = try? ListenAddress(listen, of: .adminListen) else { return nil }
    switch address.socket {
    case .tcp(let tcp): return "http\(address.hasTLS ? "s" : "")://\(tcp)"
    case .unix(let path): return "unix:\(path)"
    case .systemd: return nil
    }
  }
}

/// The key for an admin listener that needs one.
struct AdminKey: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file with an API key, for --admin-keys and --auth keys. (default: the environment "
        + "variable PICKERD_KEY)", valueName: "path"))
  var keyFile: String?

  /// - Throws: If the file cannot be read, or has no key.
  func read() throws -> String? {
    guard let keyFile else { return ProcessInfo.processInfo.environment["PICKERD_KEY"] }
    let key = try textFile(keyFile, "--key-file")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    if key.isEmpty { throw ValidationError("--key-file \(keyFile) is empty; give one with a key") }
    return key
  }
}
