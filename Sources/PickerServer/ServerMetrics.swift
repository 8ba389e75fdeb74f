import PickerHub
import WebSocketTransport

/// What one loop has counted.
struct LoopFigures: Sendable {
  var counted: HubCounters
  var sockets: SocketLoopCounters
  var sessionCount, residentCount, deltaEncodeCount: Int
  var messageSeconds, deliverySeconds, iterationSeconds: Histogram
  /// How long the loop's thread has worked.
  let microseconds: Int64

  /// On the loop's thread.
  init(_ transport: HubTransport) {
    counted = transport.hub.counters
    sockets = transport.loop.counters
    sessionCount = transport.hub.sessionCount
    residentCount = transport.hub.residentCount
    deltaEncodeCount = transport.hub.encoder.deltaEncodeCount
    messageSeconds = transport.messageSeconds
    deliverySeconds = transport.deliverySeconds
    iterationSeconds = transport.loop.iterationSeconds
    microseconds = SocketLoop.threadMicroseconds()
  }

  static func += (sum: inout LoopFigures, other: LoopFigures) {
    sum.counted += other.counted
    sum.sockets += other.sockets
    sum.sessionCount += other.sessionCount
    sum.residentCount += other.residentCount
    sum.deltaEncodeCount += other.deltaEncodeCount
    sum.messageSeconds += other.messageSeconds
    sum.deliverySeconds += other.deliverySeconds
    sum.iterationSeconds += other.iterationSeconds
  }
}

/// What `GET /metrics` tells: sums over all loops.
enum ServerMetrics {
  static func text(
    _ loops: [LoopFigures], _ store: ServerStore, _ rates: RequestRates
  ) -> String {
    guard var sum = loops.first else { return "" }
    for figures in loops.dropFirst() { sum += figures }
    var text = MetricsText()
    write(sum, store, to: &text)
    writeHistograms(sum, store, to: &text)
    let refusals = rates.refusals
    text.counter(
      "pickerd_rate_limited_total", "Requests answered with 429, by kind.",
      RequestKind.allCases.map { .init(refusals[$0] ?? 0, (name: "kind", value: "\($0)")) })
    text.counter(
      "pickerd_loop_seconds_total", "How long each loop's thread has worked.",
      loops.enumerated().map {
        .init(Double($1.microseconds) / 1_000_000, (name: "loop", value: "\($0)"))
      })
    return text.text
  }

  private static func writeHistograms(
    _ sum: LoopFigures, _ store: ServerStore, to text: inout MetricsText
  ) {
    text.histogram(
      "pickerd_message_seconds",
      "A client's message, from its arrival until its effects were posted or given to the store.",
      sum.messageSeconds)
    text.histogram(
      "pickerd_delivery_seconds",
      "A command, from its arrival until the first write of its delta, the store's time included.",
      sum.deliverySeconds)
    text.histogram(
      "pickerd_loop_iteration_seconds", "How long an event-loop iteration was busy.",
      sum.iterationSeconds)
    guard let figures = store.figures else { return }
    text.histogram(
      "pickerd_store_wait_seconds", "From the first append of a batch until it was stored.",
      figures.waitSeconds)
    text.histogram(
      "pickerd_store_commit_seconds", "A batch's transaction, with its flush to the disk.",
      figures.commitSeconds)
    text.histogram(
      "pickerd_store_batch_records", "Records that were stored in one batch.",
      figures.batchRecords)
  }

  private static func write(
    _ sum: LoopFigures, _ store: ServerStore, to text: inout MetricsText
  ) {
    let counted = sum.counted
    let sockets = sum.sockets
    text.gauge("pickerd_sessions", "Sessions that have not ended.", .init(sum.sessionCount))
    text.gauge(
      "pickerd_sessions_resident", "Those of them that are in memory.", .init(sum.residentCount))
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
      .init(sum.deltaEncodeCount))
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
      "pickerd_sockets_refused_per_address_total",
      "TCP connections refused for the limit of connections per address.",
      .init(sockets.refusedOfAddress))
    text.counter(
      "pickerd_sockets_failed_total", "WebSockets closed for breaking RFC 6455 or a limit.",
      .init(sockets.failed))
  }
}
