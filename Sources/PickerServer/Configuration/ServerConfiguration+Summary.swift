extension ServerConfiguration {
  /// The effective configuration, one setting per line, for the log and `serve --check`.
  package var summary: String {
    var lines: [String] = []
    // One element per statement: the compiler needs 16 s to type-check them as one array.
    lines.append("listen     \(listen)" + (listen.isLoopback ? " (local connections only)" : ""))
    lines.append("admin      \(adminListen.map(\.description) ?? "off")")
    lines.append("hosts      \(hostsSummary)")
    lines.append("auth       \(authentication)")
    lines.append("clock      \(clock.rawValue)")
    lines.append("origins    \(originsSummary)")
    lines.append("store      \(store)")
    lines.append("web        \(webFolder ?? "none (API only)")")
    lines.append("log        \(logLevel.rawValue), \(logFormat.rawValue)")
    lines.append("loops      \(loops)")
    let standard = ServerConfiguration()
    if audience != standard.audience { lines.append("audience   \(audience)") }
    if calendarName != standard.calendarName { lines.append("calendar   \(calendarName)") }
    if outlookLink != standard.outlookLink { lines.append("outlook    \(outlookLink)") }
    for limit in ServerLimit.allCases where limits[limit] != limit.facts.standard {
      lines.append("limit      \(limit.rawValue)=\(limits[limit])")
    }
    return lines.joined(separator: "\n")
  }
}

extension ServerConfiguration {
  private var originsSummary: String {
    if origins.allowed.isEmpty { return "same host only" }
    return origins.allowed.map(\.description).sorted().joined(separator: ", ")
  }

  private var hostsSummary: String {
    if hosts.isEmpty { return listen.isLoopback ? "loopback names" : "any" }
    return (hosts.map(\.text).sorted() + ["loopback names"]).joined(separator: ", ")
  }
}

extension ServerLimit {
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
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
