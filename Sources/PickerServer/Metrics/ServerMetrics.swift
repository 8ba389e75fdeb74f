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

/// All metrics of the server: sums over all loops, which count without locks.
enum ServerMetrics {
  /// Collects the metrics of all loops. Must be called on the thread of `transport`.
  ///
  /// - Parameter completion: Called on the same thread.
  static func collect(
    for transport: HubTransport, _ store: ServerStore, _ rates: RequestRates,
    completion: @escaping ([MetricFamily]) -> Void
  ) {
    transport.group.ask(for: transport) { transport, reply in
      reply(LoopFigures(transport))
    } completion: { (figures: [LoopFigures]) in
      completion(families(figures, store, rates))
    }
  }

  private static func families(
    _ loops: [LoopFigures], _ store: ServerStore, _ rates: RequestRates
  ) -> [MetricFamily] {
    guard var sum = loops.first else { return [] }
    for figures in loops.dropFirst() { sum += figures }
    var metrics = MetricFamilies()
    addSums(sum, store, to: &metrics)
    addHistograms(sum, store, to: &metrics)
    let refusals = rates.refusals
    metrics.counter(
      "pickerd_rate_limited_total", "Requests answered with 429, by kind.",
      RequestKind.allCases.map { .init(refusals[$0] ?? 0, (name: "kind", value: "\($0)")) })
    metrics.counter(
      "pickerd_loop_seconds_total", "CPU time of each event loop's thread.",
      loops.enumerated().map {
        .init(Double($1.microseconds) / 1_000_000, (name: "loop", value: "\($0)"))
      })
    return metrics.all
  }

  private static func addHistograms(
    _ sum: LoopFigures, _ store: ServerStore, to metrics: inout MetricFamilies
  ) {
    metrics.histogram(
      "pickerd_message_seconds",
      "Time from a client message's arrival until its effects were queued or passed to the store.",
      sum.messageSeconds)
    metrics.histogram(
      "pickerd_delivery_seconds",
      "Time from a command's arrival to the first write of its delta, including the store.",
      sum.deliverySeconds)
    metrics.histogram(
      "pickerd_loop_iteration_seconds", "Busy time of an event-loop iteration.",
      sum.iterationSeconds)
    guard let figures = store.figures else { return }
    metrics.histogram(
      "pickerd_store_wait_seconds", "Time from the first append of a batch until it was durable.",
      figures.waitSeconds)
    metrics.histogram(
      "pickerd_store_commit_seconds", "Time of a batch's transaction, including fsync.",
      figures.commitSeconds)
    metrics.histogram(
      "pickerd_store_batch_records", "Records per batch.",
      figures.batchRecords)
  }

  private static func addFeed(_ store: ServerStore, to metrics: inout MetricFamilies) {
    let position = store.feed.signal.position
    metrics.counter("pickerd_feed_events_total", "Position of the newest event.", .init(position))
    metrics.gauge(
      "pickerd_feed_readers", "Requests that read the feed.", .init(store.feedReaders.current))
    metrics.gauge(
      "pickerd_feed_lag_events", "Events after the position of each cursor.",
      store.feed.cursors.sorted { $0.key < $1.key }
        .map { .init(max(0, position - $0.value), (name: "cursor", value: $0.key)) })
  }

  private static func addSums(
    _ sum: LoopFigures, _ store: ServerStore, to metrics: inout MetricFamilies
  ) {
    let counted = sum.counted
    let sockets = sum.sockets
    metrics.gauge("pickerd_sessions", "Sessions that have not ended.", .init(sum.sessionCount))
    metrics.gauge(
      "pickerd_sessions_resident", "Sessions that are loaded in memory.", .init(sum.residentCount))
    if let batchCount = store.batchCount {
      metrics.counter(
        "pickerd_store_batches_total", "Transactions committed by the store.",
        .init(batchCount))
      metrics.gauge(
        "pickerd_store_failed", "1 while the store cannot be written, otherwise 0.",
        .init(store.failure == nil ? 0 : 1))
    }
    addFeed(store, to: &metrics)
    metrics.gauge("pickerd_connections", "Open WebSockets.", .init(sockets.webSockets))
    metrics.gauge("pickerd_sockets", "TCP connections of all kinds.", .init(sockets.connections))
    metrics.counter("pickerd_messages_total", "Messages from clients.", .init(counted.messagesIn))
    metrics.counter("pickerd_commands_total", "Commands from clients.", .init(counted.commands))
    metrics.counter(
      "pickerd_refusals_total", "Commands refused, by code.",
      counted.refusals.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { .init($0.value, (name: "code", value: $0.key.rawValue)) })
    metrics.counter("pickerd_deltas_total", "Revisions, including ticks.", .init(counted.deltas))
    metrics.counter("pickerd_ticks_total", "Revisions caused by time.", .init(counted.ticks))
    metrics.counter(
      "pickerd_delta_encodes_total", "Deltas encoded, once per language.",
      .init(sum.deltaEncodeCount))
    metrics.counter("pickerd_deliveries_total", "Messages to clients.", .init(counted.deliveries))
    metrics.counter("pickerd_joins_total", "New members.", .init(counted.joins))
    metrics.counter("pickerd_resumes_total", "Members that resumed.", .init(counted.resumes))
    metrics.counter(
      "pickerd_slow_reader_snapshots_total",
      "Slow connections whose pending updates were replaced by a snapshot.",
      .init(counted.snapshotsForSlowReaders))
    metrics.counter(
      "pickerd_closes_total", "Connections closed by the server, by close code.",
      counted.closes.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { .init($0.value, (name: "code", value: "\($0.key.rawValue)")) })
    metrics.counter(
      "pickerd_sockets_refused_total", "TCP connections refused because of the connection limit.",
      .init(sockets.refusedFull))
    metrics.counter(
      "pickerd_sockets_refused_per_address_total",
      "TCP connections refused because of the connection limit per address.",
      .init(sockets.refusedOfAddress))
    metrics.counter(
      "pickerd_sockets_failed_total", "WebSockets closed for violating RFC 6455 or a limit.",
      .init(sockets.failed))
  }
}
