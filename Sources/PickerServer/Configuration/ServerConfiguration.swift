import Foundation
package import Logging
import PickerWire

/// The validated configuration of a server.
package struct ServerConfiguration: Hashable, Sendable {
  /// Who may use the server.
  package enum Authentication: Hashable, Sendable, CustomStringConvertible {
    /// Everyone.
    case open
    /// Each session is created with three tokens.
    case token
    /// A host with API keys, and the members for whom it signs tokens.
    case keys(file: String)

    package var description: String {
      switch self {
      case .open: "open"
      case .token: "token"
      case .keys(let file): "keys:\(file)"
      }
    }
  }

  /// The clock of the sessions: the system clock, or one that is set with `POST /v1/clock`.
  package enum ClockSource: String, CaseIterable, Sendable { case system, manual }

  package var listen: ListenAddress = .standard
  /// The address of the admin listener, which serves `/metrics`; `nil` for none.
  package var adminListen: ListenAddress?
  /// The accepted names in `Host`, see ``HostPolicy``.
  package var hosts: [HostName] = []
  package var trustedProxies: TrustedProxies = .standard
  package var authentication: Authentication = .open
  /// The `aud` of member tokens, with `--auth keys`.
  package var audience = ServerConfiguration.standardAudience
  package var clock: ClockSource = .system
  package var origins = OriginPolicy(allowed: [])
  package var store: StoreLocation = .standard
  package var limits = LimitSettings()
  /// An absolute path; `nil` to serve only the API.
  package var webFolder: String?
  /// Events below this level are not logged.
  package var logLevel: Logger.Level = .notice
  package var logFormat: LogFormat = .text
  /// The domain part of event UIDs, after the `@`.
  package var calendarName = "pickerd"
  /// The URL of Outlook's form for a new event, with names in braces, see ``CalendarLinks``.
  package var outlookLink = CalendarLinks.outlookStandard
  /// The number of event loops, each with its own thread and shard of the sessions.
  package var loops = ServerConfiguration.standardLoops

  /// One loop per core that the process may use.
  package static var standardLoops: Int {
    min(max(1, ProcessInfo.processInfo.activeProcessorCount), loopsMax)
  }
  package static let loopsMax = 64

  package static let standardAudience = "pickerd"

  package init() {}

  /// Validates settings.
  ///
  /// - Throws: ``ConfigurationProblem`` for the first invalid setting.
  package init(_ texts: ConfigurationTexts) throws(ConfigurationProblem) {
    if let text = texts.listen { listen = try ListenAddress(text) }
    adminListen = try ServerConfiguration.adminListen(texts.adminListen)
    hosts = try ServerConfiguration.hosts(texts.hosts)
    if !texts.trustedProxies.isEmpty {
      trustedProxies = try ServerConfiguration.proxies(texts.trustedProxies)
    }
    if let text = texts.auth { authentication = try Authentication(text) }
    if let text = texts.audience { audience = try ServerConfiguration.audience(text) }
    clock = try ServerConfiguration.choice(texts.clock, "--clock") ?? .system
    logLevel = try ServerConfiguration.choice(texts.logLevel, "--log-level") ?? .notice
    logFormat = try ServerConfiguration.choice(texts.logFormat, "--log-format") ?? .text
    if let text = texts.store { store = try StoreLocation(text) }
    if let text = texts.loops { loops = try ServerConfiguration.loops(text) }
    limits = try LimitSettings(settings: texts.limits)
    try limits.check()
    origins = try ServerConfiguration.origins(texts.origins)
    webFolder = try ServerConfiguration.webFolder(texts.web)
    if let text = texts.calendarName { calendarName = try ServerConfiguration.calendarName(text) }
    if let text = texts.outlookLink { outlookLink = try ServerConfiguration.outlookLink(text) }
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String?, _ option: String
  ) throws(ConfigurationProblem) -> Choice? {
    guard let text else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw ConfigurationProblem(
        option: option,
        detail: "\(ConfigurationProblem.shown(text)) is not valid. Use one of "
          + Choice.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    }
    return choice
  }

  private static func loops(_ text: String) throws(ConfigurationProblem) -> Int {
    guard let count = Int(text), (1...loopsMax).contains(count) else {
      throw ConfigurationProblem(
        option: "--loops",
        detail: "\(ConfigurationProblem.shown(text)) is not valid. Use a number of event loops "
          + "from 1 to \(loopsMax).")
    }
    return count
  }

  private static func adminListen(_ text: String?) throws(ConfigurationProblem) -> ListenAddress? {
    guard let text, text != "off" else { return nil }
    return try ListenAddress(text, option: "--admin-listen")
  }

  private static func hosts(_ texts: [String]) throws(ConfigurationProblem) -> [HostName] {
    var hosts: [HostName] = []
    for text in texts {
      guard let host = HostName(text) else {
        throw ConfigurationProblem(
          option: "--host",
          detail: "\(ConfigurationProblem.shown(text)) is not a host. Use the name or address in "
            + "the clients' URLs, without scheme and port, such as pick.example.org.")
      }
      hosts.append(host)
    }
    return hosts
  }

  private static func proxies(_ texts: [String]) throws(ConfigurationProblem) -> TrustedProxies {
    if texts == ["none"] { return TrustedProxies([]) }
    var ranges: [AddressRange] = []
    for text in texts {
      guard let range = AddressRange(text) else {
        throw ConfigurationProblem(
          option: "--trusted-proxy",
          detail: "\(ConfigurationProblem.shown(text)) is not an address range. Use the proxy's "
            + "address, such as 10.0.0.7, a range, such as 10.0.0.0/8 or fd00::/8, or none.")
      }
      ranges.append(range)
    }
    return TrustedProxies(ranges)
  }

  private static func origins(_ texts: [String]) throws(ConfigurationProblem) -> OriginPolicy {
    var origins: [WebOrigin] = []
    for text in texts {
      guard let origin = WebOrigin(text) else {
        throw ConfigurationProblem(
          option: "--origin",
          detail: "\(ConfigurationProblem.shown(text)) is not a web origin. Use scheme, host and a "
            + "port if it is not the default, such as https://example.org or "
            + "http://localhost:3000, without a path or wildcard.")
      }
      origins.append(origin)
    }
    return OriginPolicy(allowed: origins)
  }

  private static func webFolder(_ text: String?) throws(ConfigurationProblem) -> String? {
    guard let text else { return WebFolder.found() }
    guard let folder = RegularFile.resolved(text), WebFolder.hasPage(folder) else {
      throw ConfigurationProblem(
        option: "--web",
        detail: "\(ConfigurationProblem.shown(text)) has no demo/index.html. Use the web folder of "
          + "a checkout or of an installed pickerd, or omit the option.")
    }
    return folder
  }
}
