/// A setting of `pickerd serve`, and its row of the table: flags, environment variables, the fields
/// of the configuration file, `--check`, `--help` and the handbook's table follow from it. Limits
/// have a list of their own, ``ServerLimit``.
///
/// The raw value is the field of the file; see ``flag`` and ``variable`` for the other names.
package enum Setting: String, CaseIterable, Sendable {
  case config
  case listen, apiListen, nodeListen, adminListen, adminKeys, publicUrl, host, trustedProxy
  case tlsCertificate, tlsKey, redirectHttp
  case auth, audience, origin
  case store, limit, loops
  case web, calendarName, outlookLink
  case logLevel, logFormat
  case clock
}

/// The row of a setting.
package struct SettingRow {
  /// The form of a value, as in `--listen ADDRESS:PORT`.
  package let valueName: String
  package let standard: String
  /// What it does, for `--help` and the handbook.
  package let meaning: String
  /// Whether SIGHUP applies a change.
  package var isReloadable = false
  /// The only value that sets a list to no values.
  var none: String?
  /// Removes the default of a list; `nil` for a setting with one value.
  var clear: ((inout ServerConfiguration) -> Void)?
  /// Sets the value, or adds one to a list. Throws a ``ConfigurationProblem``.
  let parse: (inout ServerConfiguration, String) throws -> Void
  /// The values in force without passwords, as ``parse`` reads them. Empty without a default.
  let show: (ServerConfiguration) -> [String]

  /// Whether it can have several values.
  package var isList: Bool { clear != nil }

  /// The values of a configuration as a file has them: ``none`` for a list that it has emptied.
  func values(_ configuration: ServerConfiguration) -> [String] {
    let values = show(configuration)
    return values.isEmpty ? [none].compactMap(\.self) : values
  }
}

extension Setting {
  /// Everything about the setting.
  package var row: SettingRow {
    switch self {
    case .config:
      SettingRow(
        valueName: "file", standard: "none",
        meaning: "A YAML file with any of these settings. SIGHUP reads it again.",
        parse: { $0.file = $1 },
        show: { [$0.file].compactMap(\.self) })
    case .listen:
      SettingRow(
        valueName: "[proxy:]address:port|unix:/path|systemd", standard: "127.0.0.1:7681",
        meaning: "An address to listen on, numeric: 127.0.0.1:7681, [::1]:7681, 0.0.0.0:80 (all "
          + "IPv4 interfaces), or :0 for any free port on 127.0.0.1. unix:/path: a Unix socket, "
          + "for members of the process's group. systemd or systemd:NAME: the sockets that "
          + "systemd passes as public or NAME. proxy: before any of these: connections begin with "
          + "a PROXY protocol header, version 2, and come from a --trusted-proxy.",
        clear: { $0.listen = [] },
        parse: { $0.listen.append(try ListenAddress($1)) },
        show: { $0.listen.map(\.description) })
    case .apiListen:
      SettingRow(
        valueName: "[tls:]address:port|unix:/path|systemd|off", standard: "off",
        meaning: "An address of the listener for the application's backend, such as 10.0.0.1:7684. "
          + "With it --listen serves members only: API keys are accepted, sessions created and "
          + "listed, and the feed read at this address only. It serves the whole API, and no "
          + "pages. tls: before an address: TLS with --tls-certificate. Set --public-url, too, for "
          + "the links that the backend passes on.",
        none: "off",
        clear: { $0.apiListen = [] },
        parse: { $0.apiListen.append(try ListenAddress($1, of: .apiListen)) },
        show: { $0.apiListen.map(\.description) })
    case .nodeListen:
      SettingRow(
        valueName: "address:port|off", standard: "off",
        meaning: "With a PostgreSQL --store: the address at which other nodes reach this one, such "
          + "as 10.0.0.1:7683. A node that receives a connection for a session of another node "
          + "relays it there; without this option it answers 503. Only the other nodes may reach "
          + "this address, because it lets them name any client address.",
        parse: { $0.nodeListen = try ServerConfiguration.nodeAddress($1) },
        show: { [$0.nodeListen?.description ?? "off"] })
    case .adminListen:
      SettingRow(
        valueName: "[tls:]address:port|unix:/path|systemd|off", standard: "off",
        meaning: "An address of the admin listener, for operators and the backend: /metrics, "
          + "/healthz, /readyz, the sessions and the feed. The systemd unit and the image set "
          + "127.0.0.1:7682. tls: before an address: TLS with --tls-certificate. The public "
          + "listener never serves /metrics.",
        none: "off",
        clear: { $0.adminListen = [] },
        parse: { $0.adminListen.append(try ListenAddress($1, of: .adminListen)) },
        show: { $0.adminListen.map(\.description) })
    case .adminKeys:
      SettingRow(
        valueName: "file", standard: "none: see the admin listener",
        meaning: "A file with the keys of the admin listener, as that of --auth keys:FILE (it may "
          + "be the same). With it the admin listener serves /healthz and /readyz to everyone, and "
          + "the rest only to these keys with the scopes metrics, sessions and feed, from any "
          + "machine, also on a Unix socket. The server reads it again on SIGHUP, and within a "
          + "second of a change.",
        parse: { $0.adminKeys = try ServerConfiguration.path($1) },
        show: { [$0.adminKeys].compactMap(\.self) })
    case .publicUrl:
      SettingRow(
        valueName: "url", standard: "none: from each request's Host and X-Forwarded-Proto",
        meaning: "The URL by which members reach the server, such as https://pick.example.org or, "
          + "behind a proxy that serves it below a path, https://example.org/pick/. Location, "
          + "socket, links and redirects to https begin with it. Its name is accepted in the Host "
          + "header, and its origin as one of --origin. The proxy may remove the path from "
          + "requests, or forward it.",
        parse: { $0.publicURL = try PublicURL($1) },
        show: { [$0.publicURL?.description].compactMap(\.self) })
    case .host:
      SettingRow(
        valueName: "name",
        standard: "any name; only loopback names if a --listen is loopback or systemd",
        meaning: "A name to accept in the Host header, such as pick.example.org. Other names get "
          + "status 421, as protection against DNS rebinding; a missing, repeated or malformed "
          + "Host gets 400. localhost, 127.0.0.0/8 and [::1] are always accepted, numeric "
          + "addresses also at --api-listen and --admin-listen.",
        clear: { $0.hosts = [] },
        parse: { $0.hosts.append(try ServerConfiguration.host($1)) },
        show: { $0.hosts.map(\.text) })
    case .trustedProxy:
      SettingRow(
        valueName: "cidr|unix|none", standard: "127.0.0.0/8, ::1 and unix",
        meaning: "A proxy whose X-Forwarded-For and X-Forwarded-Proto headers, and PROXY protocol "
          + "headers, are trusted: an address, or a range such as 10.0.0.0/8. unix: all peers of "
          + "Unix sockets. none: trust no proxy.",
        none: "none",
        clear: { $0.trustedProxies = TrustedProxies() },
        parse: { try $0.trustedProxies.add($1) },
        show: { $0.trustedProxies.texts })
    case .tlsCertificate:
      SettingRow(
        valueName: "file", standard: "none: no TLS",
        meaning: "A certificate in PEM format, followed by those of its intermediate authorities. "
          + "With it --listen accepts TLS 1.2 and 1.3 only, except on Unix sockets. SIGHUP reads "
          + "it again; existing connections are not affected. To turn TLS on or off, restart.",
        isReloadable: true,
        parse: { $0.tlsCertificate = $1 },
        show: { [$0.tlsCertificate].compactMap(\.self) })
    case .tlsKey:
      SettingRow(
        valueName: "file", standard: "none",
        meaning: "The private key of the certificate, in PEM format, without a passphrase.",
        isReloadable: true,
        parse: { $0.tlsKey = $1 },
        show: { [$0.tlsKey].compactMap(\.self) })
    case .redirectHttp:
      SettingRow(
        valueName: "address:port|systemd|off", standard: "off",
        meaning: "An address, such as 0.0.0.0:80, where plain GET and HEAD requests are redirected "
          + "to https, and others refused. Needs --tls-certificate.",
        none: "off",
        clear: { $0.redirectHTTP = [] },
        parse: { $0.redirectHTTP.append(try ListenAddress($1, of: .redirectHttp)) },
        show: { $0.redirectHTTP.map(\.description) })
    case .auth:
      SettingRow(
        valueName: "open|token|keys:FILE", standard: "open",
        meaning: "Access control. open: everyone with the link can join, and the first member is "
          + "the owner. token: each session is created with three tokens, for owner, editor and "
          + "viewer. keys: only a backend with an API key from FILE creates sessions (see pickerd "
          + "key --help), and it signs its users' tokens. The server reads FILE again on SIGHUP, "
          + "and within a second of a change.",
        parse: { $0.authentication = try ServerConfiguration.Authentication($1) },
        show: { [$0.authentication.description] })
    case .audience:
      SettingRow(
        valueName: "name", standard: ServerConfiguration.standardAudience,
        meaning: "With --auth keys: the aud claim that member tokens must have.",
        parse: { $0.audience = try ServerConfiguration.audience($1) },
        show: { [$0.audience] })
    case .origin:
      SettingRow(
        valueName: "origin", standard: "the request's own host",
        meaning: "A web origin whose pages may open WebSockets, send requests that change "
          + "something, and read responses (CORS), such as https://example.org. Pages of the "
          + "server itself always may: those of the request's Host, and of --public-url.",
        clear: { $0.origins.allowed = [] },
        parse: { $0.origins.allowed.insert(try ServerConfiguration.origin($1)) },
        show: { $0.origins.allowed.map(\.description).sorted() })
    case .store:
      SettingRow(
        valueName: "sqlite:PATH|postgres://...|memory:", standard: "sqlite:",
        meaning: "The session store. sqlite:PATH: a file, which survives crashes and restarts; "
          + "sqlite: is pickerd.sqlite in the state directory. postgres://...: a PostgreSQL "
          + "database, as a libpq URI; put its password into PGPASSFILE. memory: the process's "
          + "memory; sessions are lost when it ends.",
        parse: { $0.store = try StoreLocation($1) },
        show: { [$0.store.uriWithoutPasswords] })
    case .limit:
      SettingRow(
        valueName: "name=number", standard: "see the limits",
        meaning: "A limit, such as members=50. In the file, limit is a mapping of names to "
          + "numbers. An option overrides only the limits that it names.",
        clear: { _ in },
        parse: { try $0.limits.set($1) },
        show: { $0.limits.texts })
    case .loops:
      SettingRow(
        valueName: "number", standard: "the number of cores",
        meaning: "Event loops, each with its own thread. Each session belongs to one loop, so more "
          + "loops speed up many sessions, but not a single one.",
        parse: { $0.loops = try ServerConfiguration.loops($1) },
        show: { [String($0.loops)] })
    case .web:
      SettingRow(
        valueName: "folder", standard: "searched for near the executable",
        meaning: "The folder with the demo page and the browser client.",
        parse: { $0.webFolder = try ServerConfiguration.webFolder($1) },
        show: { [$0.webFolder].compactMap(\.self) })
    case .calendarName:
      SettingRow(
        valueName: "name", standard: "pickerd",
        meaning: "What follows the @ in the UIDs of calendar events, such as pick.example.org. "
          + "Calendars find an imported event again by its UID, so do not change it later.",
        parse: { $0.calendarName = try ServerConfiguration.calendarName($1) },
        show: { [$0.calendarName] })
    case .outlookLink:
      SettingRow(
        valueName: "template", standard: "Outlook.com's",
        meaning: "The URL of Outlook's form for a new event, with {title}, {start}, {end} and "
          + "{allday}. Microsoft does not document it and has changed it before.",
        parse: { $0.outlookLink = try ServerConfiguration.outlookLink($1) },
        show: { [$0.outlookLink] })
    case .logLevel:
      SettingRow(
        valueName: "critical|error|warning|notice|info|debug|trace", standard: "notice",
        meaning: "The minimum level of log lines, which go to standard error.",
        parse: { $0.logLevel = try ServerConfiguration.choice($1) },
        show: { [$0.logLevel.rawValue] })
    case .logFormat:
      SettingRow(
        valueName: "text|json", standard: "text",
        meaning: "The format of log lines: text, or a JSON object per line with time, level and "
          + "message.",
        parse: { $0.logFormat = try ServerConfiguration.choice($1) },
        show: { [$0.logFormat.rawValue] })
    case .clock:
      SettingRow(
        valueName: "system|manual", standard: "system",
        meaning: "The time source of the sessions. manual: frozen until set with POST /v1/clock, "
          + "which anyone can call; only for tests.",
        parse: { $0.clock = try ServerConfiguration.choice($1) },
        show: { [$0.clock.rawValue] })
    }
  }
}

/// The names of a setting, and tables of all settings.
extension Setting {
  /// `--admin-listen`, without the dashes.
  package var flagName: String { words.joined(separator: "-") }
  package var flag: String { "--" + flagName }
  /// `PICKERD_ADMIN_LISTEN`
  package var variable: String { "PICKERD_" + words.joined(separator: "_").uppercased() }
  /// Whether it is a field of the configuration file.
  var isInFile: Bool { self != .config }

  /// `adminListen` as `admin`, `listen`.
  private var words: [String] {
    var words = [""]
    for character in rawValue {
      if character.isUppercase { words.append("") }
      words[words.count - 1] += character.lowercased()
    }
    return words
  }

  /// The text of `--help`.
  package var help: String {
    row.meaning + (row.isList ? " Can be repeated." : "") + " (default: \(row.standard))"
  }

  /// The handbook's table of settings, in Markdown.
  package static var markdown: String {
    let rows = allCases.map { setting in
      let row = setting.row
      let meaning = row.meaning + (row.isList ? " Can be repeated." : "")
      let reload = setting == .limit ? "[some](#limits)" : row.isReloadable ? "yes" : "no"
      return "| `\(setting.flag)` | \(row.standard) | \(reload) | \(meaning) |"
    }
    return (["| option | default | SIGHUP | |", "|---|---|---|---|"] + rows)
      .joined(separator: "\n")
  }
}

extension ServerLimit {
  /// The unit of its values; empty for a plain number.
  package var unit: String {
    let units = [
      ("Milliseconds", "ms"), ("PerSecond", "1/s"), ("Seconds", "s"), ("Bytes", "bytes"),
      ("Days", "days"),
    ]
    return units.first { rawValue.hasSuffix($0.0) }?.1 ?? ""
  }

  /// All limits, one per line, for `--help`.
  package static var table: String {
    let nameWidth = allCases.map(\.rawValue.count).max() ?? 0
    return allCases.map { limit in
      let standard = String(limit.facts.standard)
      return "  " + limit.rawValue.padded(to: nameWidth)
        + "  " + String(repeating: " ", count: max(0, 8 - standard.count)) + standard
        + "  " + limit.facts.meaning
    }.joined(separator: "\n")
  }

  /// The handbook's table of limits, in Markdown.
  package static var markdown: String {
    let rows = allCases.map { limit in
      let range = "\(limit.facts.range.lowerBound)…\(limit.facts.range.upperBound)"
      return "| `\(limit.rawValue)` | \(limit.facts.standard) | \(range) | \(limit.unit) "
        + "| \(limit.isReloadable ? "yes" : "no") | \(limit.facts.meaning) |"
    }
    return (["| limit | default | range | unit | SIGHUP | |", "|---|---|---|---|---|---|"] + rows)
      .joined(separator: "\n")
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
