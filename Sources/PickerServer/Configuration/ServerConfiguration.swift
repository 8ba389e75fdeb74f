import Foundation
import JSONText
package import Logging
import PickerModel
package import PickerWire
import WebSocketTransport

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

  /// The configuration file.
  package var file: String?
  package var listen: [ListenAddress] = [.standard]
  /// The addresses for the application's backend; if empty, ``listen`` serves it, too.
  package var apiListen: [ListenAddress] = []
  /// Where other nodes reach this one; `nil`: nowhere.
  package var nodeListen: TCPAddress?
  /// The addresses of the admin listeners, which serve `/metrics`.
  package var adminListen: [ListenAddress] = []
  /// The file with the keys of the admin listeners; `nil` if they need none.
  package var adminKeys: String?
  /// The files of the certificate of the listeners with TLS and of its key; `nil` for none.
  package var tlsCertificate, tlsKey: String?
  /// The addresses of the listeners that redirect to https.
  package var redirectHTTP: [ListenAddress] = []
  /// The URL by which members reach the server; `nil` for the one that each request names.
  package var publicURL: PublicURL?
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
}

extension ServerConfiguration.Authentication {
  /// Parses `open`, `token` or `keys:FILE`.
  init(_ text: String) throws(ConfigurationProblem) {
    let prefix = "keys:"
    switch text {
    case "open": self = .open
    case "token": self = .token
    case let text where text.hasPrefix(prefix) && text != prefix:
      self = .keys(file: try ServerConfiguration.path(String(text.dropFirst(prefix.count))))
    default:
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use one of open, token, "
          + "keys:FILE.")
    }
  }
}

extension ServerConfiguration {
  static func path(_ text: String) throws(ConfigurationProblem) -> String {
    guard !text.contains("\0") else {
      throw ConfigurationProblem("\(ConfigurationProblem.shown(text)) is not a path.")
    }
    return text
  }

  static func audience(_ text: String) throws(ConfigurationProblem) -> String {
    guard (1...200).contains(text.utf8.count) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use 1 to 200 bytes, as in the "
          + "aud of the tokens.")
    }
    return text
  }
}

extension ServerConfiguration {
  /// Validates `--calendar-name`.
  ///
  /// - Throws: For a name with characters that would have to be escaped in a UID.
  static func calendarName(_ text: String) throws(ConfigurationProblem) -> String {
    guard text.isWord(with: "-."), (1...253).contains(text.utf8.count) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not a valid name. Use letters, digits, - "
          + "and ., such as pick.example.org.")
    }
    return text
  }

  /// Validates `--outlook-link`.
  ///
  /// - Throws: Unless it is an https URL that contains `{start}`.
  static func outlookLink(_ text: String) throws(ConfigurationProblem) -> String {
    let isVisible = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard text.hasPrefix("https://"), isVisible, text.utf8.count <= 2_000,
      text.contains("{start}")
    else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not a valid template. Use an https:// URL "
          + "with {start}; {end}, {title} and {allday} are optional.")
    }
    return text
  }
}

// Converts the settings to the limits of each module.

extension ServerLimits {
  package init(_ settings: LimitSettings) {
    self.init()
    messageBytes = settings[.messageBytes]
    joinMilliseconds = Int64(settings[.joinMilliseconds])
    memberMilliseconds = Int64(settings[.memberMilliseconds])
    messagesPerSecond = settings[.messagesPerSecond]
    sessions = settings[.sessions]
    sessionsBytes = settings[.sessionsBytes]
    outboxBytes = max(65_536, settings[.bufferBytes] / 256)
    outboxesBytes = settings[.bufferBytes]
    pendingBytes = settings[.bufferBytes] / 4
    stalledMilliseconds = Int64(settings[.stalledMilliseconds])
    storeBytes = settings[.storeBytes]
    bodyBytes = settings[.bodyBytes]
    ttlSeconds = settings[.ttlSeconds]
    session.months = settings[.months]
    session.rows = settings[.rows]
    session.windowRows = settings[.windowRows]
    session.refs = settings[.refs]
    session.undo = settings[.undo]
    session.runs = settings[.runs]
    session.history = settings[.history]
    session.members = settings[.members]
    session.logBytes = settings[.logBytes]
  }
}

extension DefinitionLimits {
  /// The maximum number of JSON values in a request with a definition. No definition within the
  /// limits has more: a node has at most four values (itself, text, key and children), a window
  /// three, one of the week also a list of up to seven days.
  var bodyValuesMax: Int {
    4 * nodesMax + 9 * blockedMax + datesMax * (1 + 3 * windowsMax) + 3 * takenMax
      + 11 * windowsMax + 4096
  }
}

extension SocketLoopConfiguration {
  init(
    _ configuration: ServerConfiguration, _ limits: ServerLimits, _ log: Logger,
    isProxy: @escaping @Sendable (_ address: String) -> Bool
  ) {
    self.init()
    subprotocols = [HubTransport.subprotocol]
    pathPrefix = configuration.publicURL?.path ?? ""
    let settings = configuration.limits
    connectionsMax = settings[.connections]
    addressConnectionsMax = settings[.connectionsPerAddress]
    hasBackendListener = !configuration.apiListen.isEmpty
    if configuration.loops > 1 {
      connections = ConnectionCount(
        connectionsMax: connectionsMax, addressConnectionsMax: addressConnectionsMax,
        hasBackendListener: hasBackendListener)
    }
    self.isProxy = isProxy
    pingMilliseconds = settings[.pingMilliseconds]
    pongMilliseconds = settings[.pingMilliseconds] + 10_000
    headerMilliseconds = settings[.joinMilliseconds]
    assemblyMilliseconds = settings[.joinMilliseconds]
    messageBytesMax = limits.messageBytes
    bodyBytesMax = limits.bodyBytes
    bodiesBytesMax = max(bodyBytesMax, settings[.bufferBytes] / 4)
    bodies = BodyBytes()
    unsent = UnsentBytes(byteCountMax: settings[.bufferBytes])
    self.log = { isError, line in
      if isError { log.warning("transport: \(line)") } else { log.info("transport: \(line)") }
    }
  }
}

/// Reads the settings and collects all problems.
extension ServerConfiguration {
  /// Validates settings.
  ///
  /// - Parameter readsKeys: Whether the key files are checked, too.
  /// - Throws: ``ConfigurationProblems`` with every invalid setting.
  package init(
    _ texts: ConfigurationTexts, readsKeys: Bool = true
  ) throws(ConfigurationProblems) {
    self.init()
    webFolder = WebFolder.found()
    var problems = Setting.allCases.flatMap { read($0, texts[$0]) }
    problems += contradictions(texts) + unusableFiles(texts, readsKeys: readsKeys)
    guard problems.isEmpty else { throw ConfigurationProblems(problems) }
  }

  /// Reads the texts of a setting. If one with a single value is repeated, the last applies.
  mutating func read(_ setting: Setting, _ texts: [SettingText]) -> [ConfigurationProblem] {
    guard let last = texts.last else { return [] }
    let row = setting.row
    row.clear?(&self)
    if texts.count == 1, last.text == row.none { return [] }
    var problems: [ConfigurationProblem] = []
    for text in row.isList ? texts : [last] {
      do {
        try row.parse(&self, text.text)
      } catch {
        let problem = error as? ConfigurationProblem ?? ConfigurationProblem("\(error)")
        problems.append(problem.at(text.source))
      }
    }
    return problems
  }

  /// Settings that need others.
  private func contradictions(_ texts: ConfigurationTexts) -> [ConfigurationProblem] {
    var problems: [ConfigurationProblem] = []
    func refuse(_ setting: Setting, _ sentence: String) {
      problems.append(ConfigurationProblem(sentence).at(texts.source(of: setting)))
    }
    if (tlsCertificate == nil) != (tlsKey == nil) {
      refuse(
        tlsKey == nil ? .tlsCertificate : .tlsKey,
        "--tls-certificate and --tls-key need each other.")
    }
    let listeners = [(Setting.apiListen, apiListen), (.adminListen, adminListen)]
    for (setting, addresses) in listeners + [(.redirectHttp, redirectHTTP)]
    where tlsCertificate == nil
      && addresses.contains(where: { $0.hasTLS || setting == .redirectHttp })
    {
      refuse(setting, "There is no --tls-certificate.")
    }
    if let publicURL, publicURL.origin.scheme != "https", !redirectHTTP.isEmpty {
      refuse(
        .publicUrl,
        "\(ConfigurationProblem.shown("\(publicURL)")) must begin with https://, because "
          + "--redirect-http redirects to it.")
    }
    if nodeListen != nil, !store.isClustered {
      refuse(.nodeListen, "There is no other node: the --store is not a PostgreSQL database.")
    }
    return problems
  }

  private func unusableFiles(
    _ texts: ConfigurationTexts, readsKeys: Bool
  ) -> [ConfigurationProblem] {
    var problems: [ConfigurationProblem] = []
    if let tls {
      do throws(ConfigurationProblem) {
        _ = try tls.load()
      } catch {
        let isKey = error.detail.hasPrefix(tls.key + " ")
        problems.append(error.at(texts.source(of: isKey ? .tlsKey : .tlsCertificate)))
      }
    }
    guard readsKeys else { return problems }
    var files = [(Setting.adminKeys, adminKeys)]
    if case .keys(let file) = authentication { files.append((.auth, file)) }
    for (setting, file) in files {
      do throws(KeyFileProblem) {
        if let file { _ = try KeyFile(path: file) }
      } catch {
        problems.append(
          ConfigurationProblem(error.description).at(texts.source(of: setting)))
      }
    }
    return problems
  }
}

/// Parses the values of settings.
extension ServerConfiguration {
  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String
  ) throws(ConfigurationProblem) -> Choice {
    guard let choice = Choice(rawValue: text) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use one of "
          + Choice.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    }
    return choice
  }

  static func loops(_ text: String) throws(ConfigurationProblem) -> Int {
    guard let count = Int(text), (1...loopsMax).contains(count) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use a number of event loops from 1 to "
          + "\(loopsMax).")
    }
    return count
  }

  /// Other nodes connect to the address itself, so that it is one of this machine's and has a port.
  static func nodeAddress(_ text: String) throws(ConfigurationProblem) -> TCPAddress? {
    if text == "off" { return nil }
    let address = try TCPAddress(text)
    guard address.port > 0, !["0.0.0.0", "::"].contains(address.host) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not an address that other nodes can connect to. "
          + "Use one of this machine's, with a port, such as 10.0.0.1:7683.")
    }
    return address
  }

  static func host(_ text: String) throws(ConfigurationProblem) -> HostName {
    guard let host = HostName(text) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not a host. Use the name or address in the "
          + "clients' URLs, without scheme and port, such as pick.example.org.")
    }
    return host
  }

  static func origin(_ text: String) throws(ConfigurationProblem) -> WebOrigin {
    guard let origin = WebOrigin(text) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not a web origin. Use scheme, host and a port if "
          + "it is not the default, such as https://example.org or http://localhost:3000, without "
          + "a path or wildcard.")
    }
    return origin
  }

  static func webFolder(_ text: String) throws(ConfigurationProblem) -> String? {
    guard let folder = RegularFile.resolved(text), WebFolder.hasPage(folder) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) has no demo/index.html. Use the web folder of a "
          + "checkout or of an installed pickerd, or omit the option.")
    }
    return folder
  }
}
