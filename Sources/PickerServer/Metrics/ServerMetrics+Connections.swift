import PickerHub
import WebSocketTransport

/// Connections and requests.
extension ServerMetrics {
  func addConnections(to metrics: inout MetricFamilies) {
    let sockets = sum.sockets
    metrics.gauge("pickerd_connections", "Open WebSockets.", .init(sockets.webSockets))
    metrics.gauge("pickerd_sockets", "TCP connections of all kinds.", .init(sockets.connections))
    metrics.counter(
      "pickerd_sockets_accepted_total", "TCP connections accepted.", .init(sockets.accepted))
    metrics.counter(
      "pickerd_sockets_refused_total", "TCP connections refused because of the connection limit.",
      .init(sockets.refusedFull))
    metrics.counter(
      "pickerd_sockets_refused_per_address_total",
      "TCP connections refused because of the connection limit per address.",
      .init(sockets.refusedOfAddress))
    metrics.counter(
      "pickerd_sockets_timed_out_total", "TCP connections dropped because a time limit expired.",
      .init(sockets.timedOut))
    metrics.counter(
      "pickerd_sockets_failed_total", "WebSockets closed for violating RFC 6455 or a limit.",
      .init(sockets.failed))
    addCloses(to: &metrics)
    metrics.gauge(
      "pickerd_relays", "TCP connections that are relayed to other nodes.", .init(sockets.relays))
    metrics.counter(
      "pickerd_relays_total", "TCP connections relayed to other nodes.", .init(sockets.relayed))
    metrics.counter(
      "pickerd_relays_failed_total",
      "TCP connections answered with 503 because no node with their session could be reached.",
      .init(sockets.relaysFailed))
    metrics.counter(
      "pickerd_relayed_bytes_total", "Bytes passed on relayed connections, by receiver.",
      [
        .init(sockets.bytesRelayedToNodes, (name: "to", value: "node")),
        .init(sockets.bytesRelayedToClients, (name: "to", value: "client")),
      ])
    metrics.counter(
      "pickerd_log_lines_dropped_total", "Log lines of the transport in excess of 20 per second.",
      .init(sockets.logLinesDropped))
  }

  private func addCloses(to metrics: inout MetricFamilies) {
    let ofHub = sum.counted.closes.map { (code: "\($0.key.rawValue)", count: $0.value) }
    let all = Dictionary(ofHub + sum.sockets.failures.byCode, uniquingKeysWith: +)
    metrics.counter(
      "pickerd_closes_total", "WebSockets and event streams closed by the server, by close code.",
      all.sorted { $0.key < $1.key }.map { .init($0.value, (name: "code", value: $0.key)) })
    metrics.counter(
      "pickerd_leaves_total",
      "WebSockets closed by the client, or lost (1006), by close code.",
      sum.sockets.left.byCode.map { .init($0.count, (name: "code", value: $0.code)) })
    metrics.counter(
      "pickerd_slow_reader_snapshots_total",
      "Slow connections whose pending updates were replaced by a snapshot.",
      .init(sum.counted.snapshotsForSlowReaders))
  }

  func addRequests(_ rates: RequestRates, to metrics: inout MetricFamilies) {
    metrics.counter(
      "pickerd_http_requests_total", "HTTP requests answered, by route, method and status class.",
      sum.responses.counts.map { key, count in (labels(of: key), count) }
        .sorted { $0.0.lexicographicallyPrecedes($1.0) }
        .map { labels, count in
          .init(
            count, (name: "route", value: labels[0]), (name: "method", value: labels[1]),
            (name: "status", value: labels[2]))
        })
    let refusals = rates.refusals
    metrics.counter(
      "pickerd_rate_limited_total", "Requests answered with 429, by kind.",
      RequestKind.allCases.map { .init(refusals[$0] ?? 0, (name: "kind", value: "\($0)")) })
  }

  private func labels(of key: ResponseCounts.Key) -> [String] {
    [key.route, key.method.rawValue, "\(key.statusClass)xx"]
  }
}
