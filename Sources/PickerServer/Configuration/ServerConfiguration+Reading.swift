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
    if nodeListen != nil, !store.isShared {
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
