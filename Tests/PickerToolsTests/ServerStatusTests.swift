import JSONText
import Testing

@testable import PickerTools

@Suite struct ServerStatusTests {
  private static let before = """
    # HELP pickerd_commands_total Commands from clients.
    # TYPE pickerd_commands_total counter
    pickerd_commands_total{kind="date",outcome="accepted"} 60
    pickerd_commands_total{kind="slot",outcome="accepted"} 40
    pickerd_refusals_total{code="stale"} 4
    pickerd_loop_seconds_total{loop="0"} 10
    pickerd_loop_seconds_total{loop="1"} 20
    pickerd_delivery_seconds_bucket{le="0.001"} 10
    pickerd_delivery_seconds_bucket{le="0.01"} 10
    pickerd_delivery_seconds_bucket{le="+Inf"} 10
    """
  private static let after = """
    pickerd_sessions 12
    pickerd_sessions_resident 8
    pickerd_commands_total{kind="date",outcome="accepted"} 160
    pickerd_commands_total{kind="date",outcome="refused"} 50
    pickerd_commands_total{kind="slot",outcome="accepted"} 90
    pickerd_refusals_total{code="stale"} 6
    pickerd_refusals_total{code="full"} 4
    pickerd_loop_seconds_total{loop="0"} 11
    pickerd_loop_seconds_total{loop="1"} 21.9
    pickerd_delivery_seconds_bucket{le="0.001"} 60
    pickerd_delivery_seconds_bucket{le="0.01"} 110
    pickerd_delivery_seconds_bucket{le="+Inf"} 110
    pickerd_closes_total{code="4508"} 3
    pickerd_store_failed 1
    pickerd_store_lag_seconds 0.25
    pickerd_buffer_bytes{buffer="outboxes"} 3000
    pickerd_buffer_bytes{buffer="queues"} 0
    pickerd_feed_events_total 42
    pickerd_feed_lag_events{cursor="shop \\"A\\""} 7
    """

  private func status(
    _ before: String = ServerStatusTests.before, _ after: String = ServerStatusTests.after,
    seconds: Double = 2
  ) -> ServerStatus {
    ServerStatus(url: "http://a:1", first: (before, 5), last: (after, 5 + seconds))
  }

  @Test func `rates are those of the interval`() {
    let status = status()
    func rate(_ name: String) -> Double? { status.rates.first { $0.name == name }?.perSecond }

    #expect(rate("commands") == 100)
    #expect(rate("refusals") == 3, "a label that is new began with zero")
    #expect(rate("joins") == nil, "the server has no such metric")
    #expect(status.loopShares.map { ($0 * 100).rounded() } == [50, 95])
    #expect(status.slowReadersClosed == 3)
    #expect(status.isStoreHealthy == false)
  }

  @Test func `a counter of a new process begins with zero`() {
    let status = status("pickerd_commands_total 1000", "pickerd_commands_total 300")
    #expect(status.rates.first { $0.name == "commands" }?.perSecond == 0)
  }

  @Test func `quantiles interpolate in the buckets of the interval`() throws {
    let delivery = try #require(status().latencies.first { $0.name == "delivery" })

    #expect(delivery.median.map { ($0 * 1e6).rounded() } == 1_000)
    #expect(delivery.p99.map { ($0 * 1e6).rounded() } == 9_820)
    #expect(status().latencies.first { $0.name == "storeWait" }?.p99 == nil)
  }

  @Test func `a quantile beyond the last bucket is its bound`() {
    let status = status(
      "",
      "pickerd_delivery_seconds_bucket{le=\"0.5\"} 1\npickerd_delivery_seconds_bucket{le=\"+Inf\"} 9"
    )
    #expect(status.latencies.first { $0.name == "delivery" }?.p99 == 0.5)
  }

  @Test func `the page has a bar for each loop, and shows a store that is not writable`() {
    let page = status().page.split(separator: "\n")

    #expect(page[0] == "pickerd http://a:1")
    #expect(page[1] == "sessions 12 (8 in memory)   WebSockets -   sockets -")
    let bars = page.filter { $0.hasPrefix("loop") }
    #expect(bars.map { $0.count { $0 == "|" } } == [20, 38])
    #expect(bars.map { $0.hasSuffix(" 50%") } == [true, false])
    #expect(
      page.contains { $0.hasPrefix("store         NOT WRITABLE") && $0.hasSuffix("250.0 ms") })
    #expect(page.contains("buffers       outboxes 3 KiB"))
    #expect(page.contains { $0.hasPrefix("feed          position 42") })
  }

  @Test func `the page of 16 loops fits on a terminal of 80 by 24`() throws {
    let loops = (0..<16).map { "pickerd_loop_seconds_total{loop=\"\($0)\"} \($0)" }
    let status = status(
      ServerStatusTests.before, ServerStatusTests.after + "\n" + loops.joined(separator: "\n"))
    let page = status.page.split(separator: "\n", omittingEmptySubsequences: false)

    // With the line of a reader of the feed, which comes last; the terminal's last line has a hint.
    #expect(page.dropLast().count <= 23)
    #expect(page.allSatisfy { $0.count <= 80 })
    #expect(page[5].hasPrefix("loop 12 [") && page[5].contains("loop 15 ["))
  }

  @Test func `a terminal that is too small shows the beginning of the page`() {
    let canvas = StatusPage(status()).draw(width: 20, height: 4)
    #expect(canvas.lines[0] == "pickerd http://a:1")
    #expect(canvas.lines.last == "q quit")
  }

  @Test func `the JSON object has null for what the server does not have`() throws {
    let json = try JSONTree.parse(Array(status().json.utf8))

    #expect(json["sessions"]?.integer == 12)
    #expect(json["webSockets"] == .null)
    #expect(json["storeHealthy"]?.bool == false)
    #expect(json["rates"]?["commands"]?.integer == 100)
    #expect(json["latencies"]?["message"]?["p99"] == .null)
  }
}
