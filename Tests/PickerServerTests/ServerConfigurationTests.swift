import PickerModel
import PickerWire
import SessionLog
import Testing

@testable import PickerServer

@Suite struct ServerConfigurationTests {
  @Test func `the defaults are loopback, open authentication, the system clock and a file`() throws
  {
    let configuration = try ServerConfiguration(ConfigurationTexts())

    #expect(configuration.listen.map(\.description) == ["127.0.0.1:7681"])
    #expect(configuration.authentication == .open)
    #expect(configuration.clock == .system)
    #expect(configuration.origins == OriginPolicy(allowed: []))
    #expect(configuration.store == .standard)
    #expect(configuration.limits == LimitSettings())
    #expect(configuration.logLevel == .notice)
  }

  @Test func `the number of loops defaults to the cores and can be configured`() throws {
    #expect(
      try ServerConfiguration(ConfigurationTexts()).loops == ServerConfiguration.standardLoops)
    #expect((1...64).contains(ServerConfiguration.standardLoops))
    for count in [1, 2, 64] {
      #expect(try ServerConfiguration.reading([.loops: ["\(count)"]]).loops == count)
    }
    for text in ["0", "65", "-1", "two", "", "1.5"] {
      #expect(throws: ConfigurationProblems.self) {
        try ServerConfiguration.reading([.loops: [text]])
      }
    }
  }

  @Test func `a variable of a removed option is reported`() {
    #expect(
      ConfigurationTexts.unknownVariables(in: ["PICKERD_IO_URING": "off"])
        == ["PICKERD_IO_URING"])
  }

  @Test func `the standard limits are those of the protocol`() {
    let limits = LimitSettings()

    #expect(limits[.messageBytes] == 65_536)
    #expect(limits[.months] == 24)
    #expect(limits[.rows] == 500)
    #expect(limits[.windowRows] == 200)
    #expect(limits[.joinMilliseconds] == 10_000)
    #expect(limits[.memberMilliseconds] == 120_000)
    #expect(limits[.refs] == 256)
    #expect(limits[.undo] == 100)
    #expect(limits[.history] == 1_000)
    #expect(limits[.members] == 1_000)
    #expect(limits[.messagesPerSecond] == 50)
    #expect(limits[.connectionsPerAddress] == 4_096)
    #expect(limits[.pingMilliseconds] == 20_000)
    #expect(ServerLimit.allCases.allSatisfy { $0.facts.range.contains($0.facts.standard) })
  }

  @Test func `the default settings equal the defaults of every module`() {
    #expect(ServerLimits(LimitSettings()) == ServerLimits())
  }

  @Test func `every limit setting takes effect`() throws {
    let standard = LimitSettings()
    // Limits that the product tests check.
    let others: [ServerLimit] = [
      .connections, .connectionsPerAddress, .pingMilliseconds, .drainMilliseconds,
      .lockMilliseconds,
    ]
    for limit in ServerLimit.allCases where !others.contains(limit) {
      let changed = try LimitSettings(settings: [
        "\(limit.rawValue)=\(limit.facts.range.lowerBound)"
      ])
      let isApplied =
        ServerLimits(changed) != ServerLimits(standard)
        || RateLimits(changed) != RateLimits(standard)
        || FeedLimits(changed) != FeedLimits(standard)
      #expect(isApplied, "\(limit)")
    }
  }

  @Test func `a limit accepts exactly the values of its range`() throws {
    for limit in ServerLimit.allCases {
      let range = limit.facts.range
      for value in [range.lowerBound, range.upperBound] {
        #expect(try LimitSettings(settings: ["\(limit.rawValue)=\(value)"])[limit] == value)
      }
      for value in [range.lowerBound - 1, range.upperBound + 1] {
        #expect(throws: ConfigurationProblems.self) {
          try LimitSettings(settings: ["\(limit.rawValue)=\(value)"])
        }
      }
    }
  }

  @Test func `the last setting of a limit wins`() throws {
    let limits = try LimitSettings(settings: ["members=5", "undo=7", "members=1000"])

    #expect(limits[.members] == 1_000)
    #expect(limits[.undo] == 7)
    #expect(limits == (try LimitSettings(settings: ["undo=7"])))
  }

  @Test(arguments: [
    "", "members", "members=", "members=x", "members=1.5", "members= 5", "Members=5", "=5",
    "members=5=6", "members=99999999999999999999", "nodes=5",
  ])
  func `an invalid limit setting is refused`(setting: String) {
    let problems = #expect(throws: ConfigurationProblems.self) {
      try LimitSettings(settings: [setting])
    }
    #expect(problems?.all.map(\.place) == ["--limit"])
  }

  @Test(arguments: [
    (Setting.auth, "jwt", "open, token"), (.clock, "moon", "system, manual"),
    (.logLevel, "loud", "trace, debug, info, notice, warning, error, critical"),
    (.logFormat, "xml", "text, json"),
    (.store, "postgres:x", "sqlite:PATH"),
    (.store, "", "memory:"), (.origin, "https://*.org", "https://example.org"),
    (.web, "/nowhere", "demo/index.html"),
  ])
  func `an invalid option is refused with an example`(setting: Setting, text: String, right: String)
  {
    let problems = #expect(throws: ConfigurationProblems.self) {
      try ServerConfiguration.reading([setting: [text]])
    }

    #expect(problems?.all.count == 1)
    #expect(problems?.all.first?.place == setting.flag)
    #expect(problems?.all.first?.detail.contains(right) == true)
  }

  @Test func `options take precedence over the environment, and that over the file`() {
    let texts = ConfigurationTexts(
      options: [.auth: ["token"], .limit: ["members=2"], .clock: ["manual", "system"]],
      environment: [
        "PICKERD_LISTEN": ":0", "PICKERD_AUTH": "open", "PICKERD_STORE": "",
        "PICKERD_ORIGIN": "https://a.org, https://b.org", "PICKERD_LIMIT": "members=1 undo=3",
        "PATH": "/bin",
      ],
      file: [
        .listen: [SettingText(":1", from: .standard)],
        .audience: [SettingText("shop", from: .standard)],
        .limit: [SettingText("undo=4", from: .standard), SettingText("rows=9", from: .standard)],
      ])

    func read(_ setting: Setting) -> [String] { texts[setting].map(\.text) }
    #expect(read(.listen) == [":0"])
    #expect(read(.auth) == ["token"])
    #expect(read(.clock) == ["manual", "system"])
    #expect(read(.store) == [])
    #expect(read(.audience) == ["shop"])
    #expect(read(.origin) == ["https://a.org", "https://b.org"])
    #expect(read(.limit) == ["undo=4", "rows=9", "members=1", "undo=3", "members=2"])
    #expect(texts[.listen].map(\.source) == [.variable(.listen)])
    #expect(texts.source(of: .auth) == .flag(.auth) && texts.source(of: .store) == .standard)
  }

  @Test func `unknown variables are reported, except those that Kubernetes sets`() {
    let unknown = ConfigurationTexts.unknownVariables(in: [
      "PICKERD_LISTN": ":0", "PICKERD_LISTEN": ":0", "PICKERD_SERVICE_HOST": "10.0.0.1",
      "PICKERD_PORT_7681_TCP": "x", "HOME": "/",
    ])
    #expect(unknown == ["PICKERD_LISTN"])
  }

  @Test func `refused text is quoted escaped and truncated`() {
    let problem = #expect(throws: ConfigurationProblem.self) {
      try StoreLocation("\u{1b}[2J\n" + String(repeating: "x", count: 10_000))
    }
    #expect(problem?.detail.contains("\u{1b}") == false)
    #expect(problem?.detail.contains("\n") == false)
    #expect((problem?.detail.count ?? .max) < 300)
  }
}

extension LimitSettings {
  /// Reads command line options.
  init(settings: [String]) throws(ConfigurationProblems) {
    try self.init(settings.map { SettingText($0, from: .flag(.limit)) })
  }
}

extension ServerConfiguration {
  /// Reads command line options.
  static func reading(
    _ options: [Setting: [String]]
  ) throws(ConfigurationProblems) -> ServerConfiguration {
    try ServerConfiguration(ConfigurationTexts(options: options))
  }
}
