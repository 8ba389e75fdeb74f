import PickerTerminal

/// A page of `pickerd status`, as lines of styled text.
struct StatusPage {
  struct Part: Hashable {
    let text: String
    var style = Style.plain
  }

  private(set) var lines: [[Part]] = []

  init(_ status: ServerStatus) {
    lines.append([Part(text: "pickerd \(status.url)", style: .bold)])
    lines.append([
      Part(
        text: "sessions \(StatusPage.count(status.sessions)) "
          + "(\(StatusPage.count(status.residentSessions)) in memory)   "
          + "WebSockets \(StatusPage.count(status.webSockets))   "
          + "sockets \(StatusPage.count(status.sockets))")
    ])
    addLoops(status.loopShares)
    lines.append([])
    addRates(status)
    addLatencies(status)
    addBuffers(status)
    addStore(status)
    addFeed(status)
  }

  /// The page without styles.
  var text: String {
    lines.map { harmless($0.map(\.text).joined()) + "\n" }.joined()
  }

  /// A bar for each loop: one, two or four in a line, so that the page of a server with 16 loops
  /// fits on a terminal of 80×24.
  private mutating func addLoops(_ shares: [Double]) {
    let (perLine, width) = shares.count <= 2 ? (1, 40) : shares.count <= 4 ? (2, 20) : (4, 4)
    let bars = shares.enumerated().map { StatusPage.bar("loop \($0)", $1, width: width) }
    for start in stride(from: 0, to: bars.count, by: perLine) {
      let row = bars[start..<min(start + perLine, bars.count)]
      lines.append(Array(row.joined(separator: [Part(text: " ")])))
    }
  }

  /// A bar as in htop: green, then yellow and red as the loop comes close to a whole core.
  private static func bar(_ name: String, _ share: Double, width: Int) -> [Part] {
    let filled = min(width, Int((share * Double(width)).rounded()))
    let color = share < 0.5 ? "#00c000" : share < 0.8 ? "#c0c000" : "#e00000"
    return [
      Part(text: name.padding(to: 8) + "["),
      Part(text: String(repeating: "|", count: filled), style: Style(color: color)),
      Part(text: String(repeating: " ", count: width - filled) + "]"),
      Part(text: "\(Int((share * 100).rounded()))%".leftPadding(to: 5)),
    ]
  }

  private mutating func addRates(_ status: ServerStatus) {
    lines.append([Part(text: "per second", style: .dim)])
    let cells = status.rates.map { rate in
      "\(rate.name) ".padding(to: 13) + StatusPage.rate(rate.perSecond).leftPadding(to: 9)
    }
    for start in stride(from: 0, to: cells.count, by: 3) {
      let row = cells[start..<min(start + 3, cells.count)]
      lines.append([Part(text: "  " + row.joined(separator: "   "))])
    }
  }

  private mutating func addLatencies(_ status: ServerStatus) {
    lines.append([Part(text: "milliseconds        median        p99", style: .dim)])
    for entry in status.latencies {
      lines.append([
        Part(
          text: "  " + entry.name.padding(to: 13)
            + StatusPage.milliseconds(entry.median).leftPadding(to: 11)
            + StatusPage.milliseconds(entry.p99).leftPadding(to: 11))
      ])
    }
  }

  /// The buffers that are not empty.
  private mutating func addBuffers(_ status: ServerStatus) {
    let used = status.buffers.filter { $0.bytes > 0 }
    let texts = used.map { "\($0.name) \(StatusPage.kibibytes($0.bytes))" }
    lines.append([
      Part(text: "buffers       " + (used.isEmpty ? "empty" : texts.joined(separator: ", ")))
    ])
  }

  private mutating func addStore(_ status: ServerStatus) {
    let snapshots = status.slowReaderSnapshots.map(StatusPage.rate) ?? "-"
    lines.append([
      Part(
        text: "slow readers  \(StatusPage.count(status.writeBlocked)) now, "
          + "\(snapshots) snapshots per second, "
          + "\(StatusPage.count(status.slowReadersClosed)) closed since the start")
    ])
    guard let isHealthy = status.isStoreHealthy else {
      return lines.append([Part(text: "store         none, sessions are in memory")])
    }
    let batches = status.storeBatches.map(StatusPage.rate) ?? "-"
    lines.append([
      Part(text: "store         "),
      isHealthy
        ? Part(text: "writable") : Part(text: "NOT WRITABLE", style: Style(color: "#e00000")),
      Part(
        text: ", \(batches) transactions per second, "
          + "lag \(StatusPage.milliseconds(status.storeLag)) ms"),
    ])
  }

  private mutating func addFeed(_ status: ServerStatus) {
    lines.append([
      Part(
        text: "feed          position \(StatusPage.count(status.feedPosition)), "
          + "\(StatusPage.count(status.feedReaders)) readers")
    ])
    for lag in status.feedLags {
      lines.append([
        Part(text: "  \(lag.cursor) is \(StatusPage.count(lag.events)) events behind")
      ])
    }
  }

  private static func count(_ value: Double?) -> String {
    value.flatMap { Int(exactly: $0) }.map(String.init) ?? "-"
  }

  private static func rate(_ value: Double) -> String { tenths(value) }

  private static func milliseconds(_ seconds: Double?) -> String {
    seconds.map { tenths($0 * 1000) } ?? "-"
  }

  private static func kibibytes(_ bytes: Double) -> String {
    "\(Int((bytes / 1024).rounded(.up))) KiB"
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension StatusPage {
  func draw(width: Int, height: Int) -> Canvas {
    var canvas = Canvas(width: width, height: height)
    for (y, line) in lines.prefix(max(0, height - 1)).enumerated() {
      var x = 0
      for part in line { x = canvas.put(part.text, x: x, y: y, part.style) }
    }
    canvas.put("q quit", x: 0, y: height - 1, .dim)
    return canvas
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  fileprivate func leftPadding(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
