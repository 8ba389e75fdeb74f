import PickerHub
import WebSocketTransport

/// What `GET /metrics` tells.
enum ServerMetrics {
  static func text(_ hub: Hub, _ loop: SocketLoop, _ store: ServerStore) -> String {
    var text = MetricsText()
    let counted = hub.counters
    let sockets = loop.counters
    text.gauge("pickerd_sessions", "Sessions that have not ended.", .init(hub.sessionCount))
    text.gauge(
      "pickerd_sessions_resident", "Those of them that are in memory.", .init(hub.residentCount))
    if let batchCount = store.batchCount {
      text.counter(
        "pickerd_store_batches_total", "Transactions that the store has committed.",
        .init(batchCount))
      text.gauge(
        "pickerd_store_failed", "1 while nothing can be stored.",
        .init(store.failure == nil ? 0 : 1))
    }
    text.gauge("pickerd_connections", "Open WebSockets.", .init(sockets.webSockets))
    text.gauge("pickerd_sockets", "TCP connections of all kinds.", .init(sockets.connections))
    text.counter("pickerd_messages_total", "Messages from clients.", .init(counted.messagesIn))
    text.counter("pickerd_commands_total", "Commands from clients.", .init(counted.commands))
    text.counter(
      "pickerd_refusals_total", "Commands refused, by code.",
      counted.refusals.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { .init($0.value, (name: "code", value: $0.key.rawValue)) })
    text.counter("pickerd_deltas_total", "Revisions, ticks among them.", .init(counted.deltas))
    text.counter("pickerd_ticks_total", "Revisions that time made.", .init(counted.ticks))
    text.counter(
      "pickerd_delta_encodes_total", "Deltas written out, once for each language.",
      .init(hub.encoder.deltaEncodeCount))
    text.counter("pickerd_deliveries_total", "Messages to clients.", .init(counted.deliveries))
    text.counter("pickerd_joins_total", "New members.", .init(counted.joins))
    text.counter("pickerd_resumes_total", "Members that came back.", .init(counted.resumes))
    text.counter(
      "pickerd_slow_reader_snapshots_total", "Outboxes whose news gave way to a snapshot.",
      .init(counted.snapshotsForSlowReaders))
    text.counter(
      "pickerd_closes_total", "Connections closed by the server, by close code.",
      counted.closes.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { .init($0.value, (name: "code", value: "\($0.key.rawValue)")) })
    text.counter(
      "pickerd_sockets_refused_total", "TCP connections refused for the limit of connections.",
      .init(sockets.refusedFull))
    text.counter(
      "pickerd_sockets_failed_total", "WebSockets closed for breaking RFC 6455 or a limit.",
      .init(sockets.failed))
    return text.text
  }
}
