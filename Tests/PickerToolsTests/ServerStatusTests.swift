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
    _ before: String = ServerStatusTests.before, _ after: String = ServerStatusTests.after
  ) -> ServerStatus {
    ServerStatus(before: before, after: after, seconds: 2)
  }

  @Test func `the page has a line for each figure`() {
    let page = ServerStatus.page(status().document)

    for lines in [
      "sessions: 12\nresidentSessions: 8\nwebSockets: -\n", "loops: 0.5 0.95\n",
      "  commands: 100\n", "  refusals: 3\n", "  joins: -\n",
      "  delivery:\n    median: 0.001\n    p99: 0.00982\n", "  storeWait:\n    median: -\n",
      "slowReadersClosed: 3\nstoreHealthy: false\n", "storeLag: 0.25\n", "  outboxes: 3000\n",
      "feedPosition: 42\n", #"  shop \"A\": 7"#,
    ] { #expect(page.contains(lines)) }
  }

  @Test func `a counter of a new process begins with zero`() {
    let status = status("pickerd_commands_total 1000", "pickerd_commands_total 300")
    #expect(status.document["rates"]?["commands"]?.integer == 0)
  }

  @Test func `a quantile beyond the last bucket is its bound`() {
    let status = status(
      "",
      "pickerd_delivery_seconds_bucket{le=\"0.5\"} 1\npickerd_delivery_seconds_bucket{le=\"+Inf\"} 9"
    )
    guard case .number(0.5) = status.document["latencies"]?["delivery"]?["p99"] else {
      Issue.record("not the bound")
      return
    }
  }
}
