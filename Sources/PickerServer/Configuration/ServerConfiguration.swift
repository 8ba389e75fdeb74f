import Foundation
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

  package var listen: [ListenAddress] = [.standard]
  /// The addresses for the application's backend; if empty, ``listen`` serves it, too.
  package var apiListen: [ListenAddress] = []
  /// Where other nodes reach this one; `nil`: nowhere.
  package var nodeListen: TCPAddress?
  /// The addresses of the admin listeners, which serve `/metrics`.
  package var adminListen: [ListenAddress] = []
  /// The file with the keys of the admin listeners; `nil` if they need none.
  package var adminKeys: String?
  /// The certificate of the listeners with TLS; `nil` for none.
  package var tls: TLSFiles?
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
  /// Parses `open`, `token` or `keys:FILE`, and checks the file.
  init(_ text: String, readsFile: Bool = true) throws(ConfigurationProblem) {
    let prefix = "keys:"
    switch text {
    case "open": self = .open
    case "token": self = .token
    case let text where text.hasPrefix(prefix) && text != prefix:
      let file = String(text.dropFirst(prefix.count))
      self = .keys(file: try ServerConfiguration.keyFile(file, isRead: readsFile))
    default:
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use one of open, token, "
          + "keys:FILE.")
    }
  }
}

extension ServerConfiguration {
  /// The path of a key file, which is checked if `isRead`.
  static func keyFile(_ path: String, isRead: Bool) throws(ConfigurationProblem) -> String {
    guard !path.contains("\0") else {
      throw ConfigurationProblem("\(ConfigurationProblem.shown(path)) is not a path.")
    }
    do throws(KeyFileProblem) {
      if isRead { _ = try KeyFile(path: path) }
    } catch {
      throw ConfigurationProblem(error.description)
    }
    return path
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
    let isName = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    }
    guard isName, (1...253).contains(text.utf8.count) else {
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
    var reader = SettingReader(texts)
    reader.listeners(.listen, &listen)
    reader.listeners(.apiListen, &apiListen)
    reader.one(.nodeListen, &nodeListen, ServerConfiguration.nodeAddress)
    reader.listeners(.adminListen, &adminListen)
    reader.one(.adminKeys, &adminKeys) { text throws(ConfigurationProblem) in
      try ServerConfiguration.keyFile(text, isRead: readsKeys)
    }
    reader.listeners(.redirectHttp, &redirectHTTP)
    reader.tls(&tls)
    reader.publicURL(&publicURL, isRedirecting: !redirectHTTP.isEmpty)
    reader.list(.host, &hosts, ServerConfiguration.host)
    reader.proxies(&trustedProxies)
    reader.one(.auth, &authentication) { text throws(ConfigurationProblem) in
      try Authentication(text, readsFile: readsKeys)
    }
    reader.one(.audience, &audience, ServerConfiguration.audience)
    var allowed: [WebOrigin] = []
    reader.list(.origin, &allowed, ServerConfiguration.origin)
    origins = OriginPolicy(allowed: allowed)
    reader.one(.store, &store) { text throws(ConfigurationProblem) in try StoreLocation(text) }
    if nodeListen != nil, !store.isClustered {
      reader.refuse(
        .nodeListen, "There is no other node: the --store is not a PostgreSQL database.")
    }
    reader.limits(&limits)
    reader.one(.loops, &loops, ServerConfiguration.loops)
    webFolder = texts[.web].isEmpty ? WebFolder.found() : nil
    reader.one(.web, &webFolder, ServerConfiguration.webFolder)
    reader.one(.calendarName, &calendarName, ServerConfiguration.calendarName)
    reader.one(.outlookLink, &outlookLink, ServerConfiguration.outlookLink)
    reader.one(.logLevel, &logLevel, ServerConfiguration.choice)
    reader.one(.logFormat, &logFormat, ServerConfiguration.choice)
    reader.one(.clock, &clock, ServerConfiguration.choice)
    guard reader.problems.isEmpty else { throw ConfigurationProblems(reader.problems) }
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String
  ) throws(ConfigurationProblem) -> Choice {
    guard let choice = Choice(rawValue: text) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use one of "
          + Choice.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    }
    return choice
  }

  private static func loops(_ text: String) throws(ConfigurationProblem) -> Int {
    guard let count = Int(text), (1...loopsMax).contains(count) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use a number of event loops from 1 to "
          + "\(loopsMax).")
    }
    return count
  }

  /// Other nodes connect to the address itself, so that it is one of this machine's and has a port.
  private static func nodeAddress(_ text: String) throws(ConfigurationProblem) -> TCPAddress? {
    if text == "off" { return nil }
    let address = try TCPAddress(text)
    guard address.port > 0, !["0.0.0.0", "::"].contains(address.host) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not an address that other nodes can connect to. "
          + "Use one of this machine's, with a port, such as 10.0.0.1:7683.")
    }
    return address
  }

  private static func host(_ text: String) throws(ConfigurationProblem) -> HostName {
    guard let host = HostName(text) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not a host. Use the name or address in the "
          + "clients' URLs, without scheme and port, such as pick.example.org.")
    }
    return host
  }

  private static func origin(_ text: String) throws(ConfigurationProblem) -> WebOrigin {
    guard let origin = WebOrigin(text) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not a web origin. Use scheme, host and a port if "
          + "it is not the default, such as https://example.org or http://localhost:3000, without "
          + "a path or wildcard.")
    }
    return origin
  }

  private static func webFolder(_ text: String) throws(ConfigurationProblem) -> String? {
    guard let folder = RegularFile.resolved(text), WebFolder.hasPage(folder) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) has no demo/index.html. Use the web folder of a "
          + "checkout or of an installed pickerd, or omit the option.")
    }
    return folder
  }
}
