import PickerHub
import WebSocketTransport

/// The metrics of one loop.
struct LoopFigures: Sendable {
  var counted: HubCounters
  var sockets: SocketLoopCounters
  var sessionCount, residentCount, deltaEncodeCount: Int
  var messageSeconds, deliverySeconds, iterationSeconds: Histogram
  /// CPU time of the loop's thread.
  let microseconds: Int64

  /// Must be called on the loop's thread.
  init(_ transport: HubTransport) {
    counted = transport.hub.counters
    sockets = transport.loop.counters
    sessionCount = transport.hub.sessionCount
    residentCount = transport.hub.residentCount
    deltaEncodeCount = transport.hub.encoder.deltaEncodeCount
    messageSeconds = transport.latencies.messageSeconds
    deliverySeconds = transport.latencies.deliverySeconds
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

/// The response of `GET /metrics`: sums over all loops.
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
      "pickerd_loop_seconds_total", "CPU time of each event loop's thread.",
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
      "Time from a client message's arrival until its effects were queued or passed to the store.",
      sum.messageSeconds)
    text.histogram(
      "pickerd_delivery_seconds",
      "Time from a command's arrival to the first write of its delta, including the store.",
      sum.deliverySeconds)
    text.histogram(
      "pickerd_loop_iteration_seconds", "Busy time of an event-loop iteration.",
      sum.iterationSeconds)
    guard let figures = store.figures else { return }
    text.histogram(
      "pickerd_store_wait_seconds", "Time from the first append of a batch until it was durable.",
      figures.waitSeconds)
    text.histogram(
      "pickerd_store_commit_seconds", "Time of a batch's transaction, including fsync.",
      figures.commitSeconds)
    text.histogram(
      "pickerd_store_batch_records", "Records per batch.",
      figures.batchRecords)
  }

  private static func writeFeed(_ store: ServerStore, to text: inout MetricsText) {
    let position = store.feed.signal.position
    text.counter("pickerd_feed_events_total", "Position of the newest event.", .init(position))
    text.gauge(
      "pickerd_feed_readers", "Requests that read the feed.", .init(store.feedReaders.current))
    text.gauge(
      "pickerd_feed_lag_events", "Events after the position of each cursor.",
      store.feed.cursors.sorted { $0.key < $1.key }
        .map { .init(max(0, position - $0.value), (name: "cursor", value: $0.key)) })
  }

  private static func write(
    _ sum: LoopFigures, _ store: ServerStore, to text: inout MetricsText
  ) {
    let counted = sum.counted
    let sockets = sum.sockets
    text.gauge("pickerd_sessions", "Sessions that have not ended.", .init(sum.sessionCount))
    text.gauge(
      "pickerd_sessions_resident", "Sessions that are loaded in memory.", .init(sum.residentCount))
    if let batchCount = store.batchCount {
      text.counter(
        "pickerd_store_batches_total", "Transactions committed by the store.",
        .init(batchCount))
      text.gauge(
        "pickerd_store_failed", "1 while the store cannot be written, otherwise 0.",
        .init(store.failure == nil ? 0 : 1))
    }
    writeFeed(store, to: &text)
    text.gauge("pickerd_connections", "Open WebSockets.", .init(sockets.webSockets))
    text.gauge("pickerd_sockets", "TCP connections of all kinds.", .init(sockets.connections))
    text.counter("pickerd_messages_total", "Messages from clients.", .init(counted.messagesIn))
    text.counter("pickerd_commands_total", "Commands from clients.", .init(counted.commands))
    text.counter(
      "pickerd_refusals_total", "Commands refused, by code.",
      counted.refusals.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { .init($0.value, (name: "code", value: $0.key.rawValue)) })
    text.counter("pickerd_deltas_total", "Revisions, including ticks.", .init(counted.deltas))
    text.counter("pickerd_ticks_total", "Revisions caused by time.", .init(counted.ticks))
    text.counter(
      "pickerd_delta_encodes_total", "Deltas encoded, once per language.",
      .init(sum.deltaEncodeCount))
    text.counter("pickerd_deliveries_total", "Messages to clients.", .init(counted.deliveries))
    text.counter("pickerd_joins_total", "New members.", .init(counted.joins))
    text.counter("pickerd_resumes_total", "Members that resumed.", .init(counted.resumes))
    text.counter(
      "pickerd_slow_reader_snapshots_total",
      "Slow connections whose pending updates were replaced by a snapshot.",
      .init(counted.snapshotsForSlowReaders))
    text.counter(
      "pickerd_closes_total", "Connections closed by the server, by close code.",
      counted.closes.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { .init($0.value, (name: "code", value: "\($0.key.rawValue)")) })
    text.counter(
      "pickerd_sockets_refused_total", "TCP connections refused because of the connection limit.",
      .init(sockets.refusedFull))
    text.counter(
      "pickerd_sockets_refused_per_address_total",
      "TCP connections refused because of the connection limit per address.",
      .init(sockets.refusedOfAddress))
    text.counter(
      "pickerd_sockets_failed_total", "WebSockets closed for violating RFC 6455 or a limit.",
      .init(sockets.failed))
  }
}
