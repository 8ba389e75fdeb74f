import ArgumentParser
import Foundation
import PickerServer

/// `pickerd status`: a running server in the terminal.
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show a running server: sessions, loops, rates, latencies, store and feed.",
    discussion: """
      Reads the metrics of the admin listener (--admin-listen of pickerd serve) and draws them \
      until q is pressed. Without a terminal, and with --once, it prints a page and exits; with \
      --json objects, one per line and interval. Rates and latencies are those of the interval. \
      If the server has --admin-keys, an API key with the scope metrics is needed.

      EXIT STATUS: 0 success. 64 usage error. 69 the server cannot be reached. 74 the output \
      cannot be written.
      """)

  @OptionGroup var admin: AdminAddress

  @Flag(help: "Print one page and exit.")
  var once = false

  @Flag(help: "Print JSON objects, one per line.")
  var json = false

  @Option(
    help: ArgumentHelp("The time between two samples. (default: 1)", valueName: "seconds"))
  var interval = 1.0

  func validate() throws {
    guard (0.1...3_600).contains(interval) else {
      throw ValidationError("--interval must be a number of seconds from 0.1 to 3600")
    }
  }

  func run() throws {
    let url = admin.url
    let key: String?
    do {
      key = try admin.key()
    } catch {
      throw complain("status", "\(error)", EX_UNAVAILABLE)
    }
    let source: StatusView.Source = {
      let client = try AdminClient(url: url, key: key)
      return String(decoding: try client.request("GET", "/metrics").body, as: UTF8.self)
    }
    if once || json || !StatusView.canDraw { return try print(url, source) }
    let interval = interval
    Task { @MainActor in
      if let sentence = await StatusView(url: url, interval: interval, source: source).run() {
        complain("status", sentence)
        Foundation.exit(EX_UNAVAILABLE)
      }
      Foundation.exit(0)
    }
    dispatchMain()
  }

  private func print(_ url: String, _ source: StatusView.Source) throws {
    func sample() throws -> (text: String, seconds: Double) {
      do {
        return (try source(), StatusView.seconds)
      } catch {
        throw complain("status", "\(error)", EX_UNAVAILABLE)
      }
    }
    var first = try sample()
    repeat {
      Thread.sleep(forTimeInterval: interval)
      let last = try sample()
      let status = ServerStatus(url: url, first: first, last: last)
      Swift.print(json ? status.json : status.page, terminator: json ? "\n" : "")
      try flushOutput()
      first = last
    } while json && !once
  }
}

/// The server's admin listener, and the key for it.
struct AdminAddress: ParsableArguments {
  @Option(
    name: .customLong("admin"),
    help: ArgumentHelp(
      "The admin listener, such as http://127.0.0.1:7682 or unix:/run/pickerd/admin. (default: the "
        + "first address in PICKERD_ADMIN_LISTEN, or http://127.0.0.1:7682)", valueName: "url"))
  var given: String?

  @Option(
    help: ArgumentHelp(
      "A file with an API key, for --admin-keys and --auth keys. (default: the environment "
        + "variable PICKERD_KEY)", valueName: "path"))
  var keyFile: String?

  func key() throws -> String? {
    guard let keyFile else { return ProcessInfo.processInfo.environment["PICKERD_KEY"] }
    let key = try textFile(keyFile, "--key-file")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    if key.isEmpty { throw ValidationError("--key-file \(keyFile) is empty; give one with a key") }
    return key
  }

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
