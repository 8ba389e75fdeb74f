import Foundation
import Logging
import Testing
import WebSocketTransport

@testable import PickerServer

@Suite struct ConfigurationLoaderTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/pickerd.yaml" }

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String) throws {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func loader(
    _ options: [Setting: [String]] = [:], _ environment: [String: String] = [:]
  ) -> ConfigurationLoader {
    ConfigurationLoader(
      options: options.merging([.config: [path]]) { $1 }, environment: environment)
  }

  private func reloading(
    _ loaded: LoadedConfiguration, _ gate: RequestGate, _ lines: LogLines
  ) -> ConfigurationReloading {
    ConfigurationReloading(
      loader(), inForce: loaded.settings, group: LoopGroup(), gate: gate, log: lines.log)
  }

  @Test func `problems of all sources are reported together with their places`() throws {
    try write("listen: nowhere\nspoon: 3\nlimit:\n  members: x\n  undo: 7\n")

    let problems = #expect(throws: ConfigurationProblems.self) {
      try loader([.loops: ["many"]], ["PICKERD_HOST": "a.org a/b"]).load()
    }

    #expect(
      problems?.all.map(\.place) == [
        path + ":2:1", path + ":1:9: listen", "PICKERD_HOST", path + ":4:12: limit", "--loops",
      ])
  }

  @Test func `the summary is a configuration file with the source of each value`() throws {
    try write("host: [b.org, a.org]\nlimit:\n  undo: 7\nstore: 'memory:'\n")
    let loaded = try loader([.listen: ["[::1]:0"]], ["PICKERD_LIMIT": "members=5"]).load()

    let summary = loaded.summary
    let lines = summary.split(separator: "\n").map { $0.split(separator: " ") }

    #expect(lines.contains(["listen:", "\"[::1]:0\"", "#", "--listen"]))
    #expect(lines.contains(["host:", "[b.org,", "a.org]", "#", "\(path):1:15"]))
    #expect(lines.contains(["members:", "5", "#", "PICKERD_LIMIT"]))
    #expect(lines.contains(["undo:", "7", "#", "\(path):3:9"]))
    #expect(lines.contains(["rows:", "500", "#", "default"]))
    for setting in Setting.allCases where setting != .config {
      #expect(lines.contains { $0.first == "\(setting.rawValue):" }, "\(setting)")
    }
    try write(summary)
    #expect(try loader().load().settings == loaded.settings)
  }

  @Test func `the public URL can come from each source, and changes with a restart`() throws {
    try write("publicUrl: https://picker.example/shared\n")
    let loaded = try loader().load()
    let lines = LogLines()
    let reloading = reloading(loaded, RequestGate(loaded.settings), lines)
    let pattern = "publicUrl: https://picker.example/shared/ # \(path):1:12"
    #expect(words(loaded).contains(pattern))
    let environment = ["PICKERD_PUBLIC_URL": "http://a.example"]
    let inherited = try loader([:], environment).load()
    #expect(words(inherited).contains("publicUrl: http://a.example/ # PICKERD_PUBLIC_URL"))
    let given = try loader([.publicUrl: ["http://b.example/x"]], environment).load()
    #expect(words(given).contains("publicUrl: http://b.example/x/ # --public-url"))

    try write("publicUrl: https://other.example\n")
    reloading.reload()

    #expect(
      lines.all.withLock { $0 } == ["warning SIGHUP: restart pickerd to change publicUrl"])
    #expect(reloading.settings.publicURL == loaded.settings.publicURL)
  }

  /// The lines of a summary, with single blanks.
  private func words(_ loaded: LoadedConfiguration) -> [String] {
    loaded.summary.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
  }

  /// Regression: it had neither ports nor options.
  @Test func `the summary has the URI of a database with its options`() throws {
    try write("")
    let uri = "postgres://ana:s3cret@one:6000,two/shop?sslmode=require"
    let summary = try loader([:], ["PICKERD_STORE": uri]).load().summary
    #expect(summary.contains("store: \"postgres://ana:…@one:6000,two/shop?sslmode=require\""))
  }

  @Test(arguments: [
    ("postgres://ana:s3cret@db/x", "postgres://ana:…@db/x"),
    ("postgres://ana:s3c@ret@db", "postgres://ana:…@db"),
    ("postgres://db/x?user=a&password=s3cret&z=1", "postgres://db/x?user=a&password=…&z=1"),
    ("x://db?sslpassword=k&password=s3c&z=1", "x://db?sslpassword=…&password=…&z=1"),
    ("host=db password='s3 cret'", "host=db password=…"),
    ("sqlite:/var/a@b", "sqlite:/var/a@b"), ("https://a.org:80/", "https://a.org:80/"),
  ])
  func `passwords are not shown`(text: String, shown: String) {
    #expect(SettingText.withoutPassword(text) == shown)
    #expect(!ConfigurationProblem.shown(text).contains("s3c"))
  }

  @Test func `a reload applies rates, and names the rest`() throws {
    try write("logLevel: info\nhost: a.org\n")
    let loaded = try loader().load()
    let gate = RequestGate(loaded.settings)
    let lines = LogLines()
    let reloading = reloading(loaded, gate, lines)

    try write(
      "logLevel: debug\norigin: https://c.org\naudience: shop\n"
        + "limit: {undo: 7, joinsPerSecond: 2}\n")
    reloading.reload()

    #expect(gate.limits[.joinsPerSecond] == 2 && gate.limits[.undo] == 100)
    #expect(
      lines.all.withLock { $0 } == [
        "notice SIGHUP: joinsPerSecond is now 2, was 100 (\(path):4:34)",
        "warning SIGHUP: restart pickerd to change host, audience, origin, logLevel, undo",
      ])
    reloading.reload()
    #expect(
      lines.all.withLock { $0.dropFirst(2) } == [
        "warning SIGHUP: restart pickerd to change host, audience, origin, logLevel, undo"
      ])
  }

  @Test func `a reload with a problem changes nothing`() throws {
    try write("")
    let loaded = try loader().load()
    let gate = RequestGate(loaded.settings)
    let lines = LogLines()
    let reloading = reloading(loaded, gate, lines)

    try write("limit: {joinsPerSecond: 2}\nloops: none\n")
    reloading.reload()

    #expect(gate.limits[.joinsPerSecond] == 100)
    let all = lines.all.withLock { $0 }
    #expect(all.count == 1)
    #expect(
      all[0].hasPrefix(
        "error SIGHUP: the previous configuration remains in effect: \(path):2:8: loops: “none”"
      ))
  }

  @Test func `every limit that can be reloaded is adopted`() throws {
    for limit in ServerLimit.allCases {
      var changed = ServerConfiguration()
      let range = limit.facts.range
      changed.limits[limit] =
        limit.facts.standard == range.lowerBound ? range.upperBound : range.lowerBound
      let adopted = ServerConfiguration().adopting(changed)
      #expect((adopted.limits == changed.limits) == limit.isReloadable, "\(limit)")
    }
  }

  @Test func `the handbook's tables are those of the list of settings`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let book = try String(
      contentsOf: root.appendingPathComponent("deploy/README.md"), encoding: .utf8)
    for table in [Setting.markdown, ServerLimit.markdown] {
      let isIn = book.contains(table)
      #expect(isIn, "deploy/README.md should have:\n\(table)")
    }
  }
}
