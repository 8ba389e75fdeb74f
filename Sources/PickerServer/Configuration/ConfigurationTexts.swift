/// The settings before validation: command line options, and environment variables for the others.
package struct ConfigurationTexts: Hashable, Sendable {
  package var listen: String?
  package var auth: String?
  package var audience: String?
  package var clock: String?
  package var adminListen: String?
  package var hosts: [String] = []
  package var trustedProxies: [String] = []
  package var origins: [String] = []
  package var store: String?
  package var limits: [String] = []
  package var web: String?
  package var logLevel: String?
  package var logFormat: String?
  package var loops: String?
  package var calendarName: String?
  package var outlookLink: String?

  package init() {}

  /// The names of the environment variables, one per option.
  package static let variables = [
    "PICKERD_LISTEN", "PICKERD_ADMIN_LISTEN", "PICKERD_HOST", "PICKERD_TRUSTED_PROXY",
    "PICKERD_AUTH", "PICKERD_AUDIENCE", "PICKERD_CLOCK",
    "PICKERD_ORIGIN", "PICKERD_STORE", "PICKERD_LIMIT",
    "PICKERD_WEB", "PICKERD_LOG_LEVEL", "PICKERD_LOG_FORMAT", "PICKERD_LOOPS",
    "PICKERD_CALENDAR_NAME", "PICKERD_OUTLOOK_LINK",
  ]

  /// Adds settings from `environment` that were not given as options. Ignores empty variables.
  ///
  /// `PICKERD_HOST`, `PICKERD_TRUSTED_PROXY`, `PICKERD_ORIGIN` and `PICKERD_LIMIT` can have several
  /// values, separated by blanks or commas. Hosts, proxies and origins given as options replace the
  /// variable; a limit given as an option replaces only that limit.
  package mutating func fill(from environment: [String: String]) {
    func value(_ name: String) -> String? {
      environment["PICKERD_" + name].flatMap { $0.isEmpty ? nil : $0 }
    }
    func values(_ name: String) -> [String] {
      value(name)?.split { $0 == "," || $0.isWhitespace }.map(String.init) ?? []
    }
    listen = listen ?? value("LISTEN")
    adminListen = adminListen ?? value("ADMIN_LISTEN")
    auth = auth ?? value("AUTH")
    audience = audience ?? value("AUDIENCE")
    clock = clock ?? value("CLOCK")
    store = store ?? value("STORE")
    web = web ?? value("WEB")
    logLevel = logLevel ?? value("LOG_LEVEL")
    logFormat = logFormat ?? value("LOG_FORMAT")
    loops = loops ?? value("LOOPS")
    calendarName = calendarName ?? value("CALENDAR_NAME")
    outlookLink = outlookLink ?? value("OUTLOOK_LINK")
    if hosts.isEmpty { hosts = values("HOST") }
    if trustedProxies.isEmpty { trustedProxies = values("TRUSTED_PROXY") }
    if origins.isEmpty { origins = values("ORIGIN") }
    limits = values("LIMIT") + limits
  }

  /// Unknown variables that begin with `PICKERD_`, to detect spelling errors.
  ///
  /// Ignores `PICKERD_SERVICE_…` and `PICKERD_PORT…`, which Kubernetes sets in every container if a
  /// service is called pickerd.
  package static func unknownVariables(in environment: [String: String]) -> [String] {
    environment.keys.filter { name in
      name.hasPrefix("PICKERD_") && !variables.contains(name)
        && !name.hasPrefix("PICKERD_SERVICE_") && !name.hasPrefix("PICKERD_PORT")
    }.sorted()
  }
}
