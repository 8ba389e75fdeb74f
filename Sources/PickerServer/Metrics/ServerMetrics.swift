import PickerHub
import PickerModel
import SessionLog
import WebSocketTransport

/// All metrics of the server: sums over all loops, which count without locks.
struct ServerMetrics {
  let sum: LoopFigures
  let store: ServerStore
  /// The estimated memory of all sessions, in bytes.
  let sessionsBytes: Int
  /// Bytes of all request bodies over 16 KiB in memory.
  let bodyBytes: Int
  /// Bytes of responses and messages that clients have not read.
  let unsentBytes: Int
  /// The connection limit in effect.
  let connectionsMax: Int
  /// The end of the certificate's validity, in seconds since 1970; `nil` without TLS.
  let certificateExpirySeconds: Int64?

  /// Collects the metrics of all loops. Must be called on the thread of `transport`, the first
  /// loop's, which accepts the connections of all loops and has the certificate.
  ///
  /// - Parameter completion: Called on the same thread.
  static func collect(
    for transport: HubTransport, _ store: ServerStore, _ gate: RequestGate,
    completion: @escaping ([MetricFamily]) -> Void
  ) {
    transport.group.ask(for: transport) { transport, reply in
      reply(LoopFigures(transport))
    } completion: { (figures: [LoopFigures]) in
      guard var sum = figures.first else { return completion([]) }
      for other in figures.dropFirst() { sum += other }
      let metrics = ServerMetrics(
        sum: sum, store: store, sessionsBytes: transport.hub.shard.memory.byteCount,
        bodyBytes: transport.loop.bodyBytes,
        unsentBytes: transport.loop.unsentBytes, connectionsMax: transport.loop.connectionsMax,
        certificateExpirySeconds: transport.loop.certificateExpirySeconds)
      completion(metrics.families(figures, gate))
    }
  }

  private func families(_ loops: [LoopFigures], _ gate: RequestGate) -> [MetricFamily] {
    var metrics = MetricFamilies()
    addSessions(to: &metrics)
    addConnections(to: &metrics)
    metrics.gauge(
      "pickerd_tls_certificate_expiry_timestamp_seconds",
      "The end of the validity of the certificate in force, since 1970.",
      certificateExpirySeconds.map { [.init($0)] } ?? [])
    addCommands(to: &metrics)
    addRequests(gate.rates, to: &metrics)
    addLatencies(loops, to: &metrics)
    addBuffers(gate.rates, to: &metrics)
    addLimits(gate.limits, to: &metrics)
    addStore(to: &metrics)
    addFeed(to: &metrics)
    return metrics.all
  }

  private func addSessions(to metrics: inout MetricFamilies) {
    metrics.gauge(
      "pickerd_sessions", "Sessions that have not ended, with PostgreSQL those of all nodes.",
      .init(store.sessionCount ?? sum.sessionCount))
    metrics.gauge(
      "pickerd_sessions_resident", "Sessions that are loaded in memory.", .init(sum.residentCount))
    metrics.gauge(
      "pickerd_sessions_bytes", "Memory of the loaded sessions and of logs in memory, an estimate.",
      .init(sessionsBytes))
    metrics.counter("pickerd_joins_total", "New members.", .init(sum.counted.joins))
    metrics.counter("pickerd_resumes_total", "Members that resumed.", .init(sum.counted.resumes))
  }

  private func addCommands(to metrics: inout MetricFamilies) {
    let counted = sum.counted
    metrics.counter("pickerd_messages_total", "Messages from clients.", .init(counted.messagesIn))
    metrics.counter(
      "pickerd_commands_total", "Commands from clients, by kind of picker and outcome.",
      PickerKind.allCases.flatMap { kind in
        CommandCounts.Outcome.allCases.map { outcome in
          .init(
            counted.commands[kind, outcome], (name: "kind", value: kind.rawValue),
            (name: "outcome", value: "\(outcome)"))
        }
      })
    metrics.counter(
      "pickerd_refusals_total", "Commands and other messages refused, by kind and code.",
      counted.commands.refusals.sorted { $0.key.rawValue < $1.key.rawValue }
        .flatMap { kind, codes in
          codes.sorted { $0.key.rawValue < $1.key.rawValue }.map { code, count in
            .init(
              count, (name: "kind", value: kind.rawValue), (name: "code", value: code.rawValue))
          }
        })
    metrics.counter("pickerd_deltas_total", "Revisions, including ticks.", .init(counted.deltas))
    metrics.counter("pickerd_ticks_total", "Revisions caused by time.", .init(counted.ticks))
    metrics.counter(
      "pickerd_delta_encodes_total", "Deltas encoded, once per language.",
      .init(sum.deltaEncodeCount))
    metrics.counter("pickerd_deliveries_total", "Messages to clients.", .init(counted.deliveries))
  }

  private func addLatencies(_ loops: [LoopFigures], to metrics: inout MetricFamilies) {
    metrics.histogram(
      "pickerd_message_seconds",
      "Time from a client message's arrival until its effects were queued or passed to the store.",
      sum.messageSeconds)
    metrics.histogram(
      "pickerd_delivery_seconds",
      "Time from a command's arrival to the first write of its delta, including the store.",
      sum.deliverySeconds)
    metrics.histogram(
      "pickerd_last_delivery_seconds",
      "Time from a command's arrival until its delta and all posted meanwhile are written, "
        + "except to slow readers.",
      sum.lastDeliverySeconds)
    metrics.histogram(
      "pickerd_loop_iteration_seconds", "Busy time of an event-loop iteration.",
      sum.iterationSeconds)
    metrics.counter(
      "pickerd_loop_seconds_total", "CPU time of each event loop's thread.",
      loops.enumerated().map {
        .init(Double($1.microseconds) / 1_000_000, (name: "loop", value: "\($0)"))
      })
  }
}

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
      "pickerd_nodes", "Living nodes of a PostgreSQL store.",
      store.nodeCount.map { [.init($0)] } ?? [])
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

/// Buffers with their limits, the store and the feed.
extension ServerMetrics {
  func addBuffers(_ rates: RequestRates, to metrics: inout MetricFamilies) {
    let buffers = sum.buffers
    var samples: [(buffer: String, bytes: Int)] = [
      ("bodies", bodyBytes), ("inboxes", buffers.inboxBytes), ("outboxes", buffers.outboxBytes),
      ("queues", buffers.stepBytes), ("unsent", unsentBytes),
    ]
    if let backlog = store.figures?.backlog {
      samples += [
        ("store_records", backlog.byteCount), ("store_snapshots", backlog.encodingByteCount),
      ]
    }
    metrics.gauge(
      "pickerd_buffer_bytes", "Bytes in buffers, in total over their sessions and connections.",
      samples.map { .init($0.bytes, (name: "buffer", value: $0.buffer)) })
    metrics.gauge(
      "pickerd_connections_write_blocked", "Connections that receive less than is sent to them.",
      .init(buffers.writeBlockedConnections))
    metrics.gauge(
      "pickerd_connections_paused",
      "Connections that are not read, because they send more than the store takes.",
      .init(buffers.pausedConnections))
    metrics.gauge(
      "pickerd_rate_buckets", "Addresses and API keys whose request rates are stored.",
      .init(rates.bucketCount))
  }

  func addLimits(_ limits: LimitSettings, to metrics: inout MetricFamilies) {
    metrics.gauge(
      "pickerd_limit", "The limits in force, by the names of --limit.",
      ServerLimit.allCases.map { limit in
        .init(
          limit == .connections ? connectionsMax : limits[limit],
          (name: "name", value: limit.rawValue))
      })
  }

  func addStore(to metrics: inout MetricFamilies) {
    guard let batchCount = store.batchCount, let figures = store.figures else { return }
    metrics.counter(
      "pickerd_store_batches_total", "Transactions committed by the store.", .init(batchCount))
    metrics.gauge(
      "pickerd_store_failed", "1 while the store cannot be written, otherwise 0.",
      .init(store.failure == nil ? 0 : 1))
    metrics.gauge(
      "pickerd_store_bytes", "Bytes in use in the store of all sessions.",
      figures.storeByteCount.map { [.init($0)] } ?? [])
    metrics.gauge(
      "pickerd_store_lag_seconds", "Age of the oldest append that is not stored; 0 if all are.",
      .init(figures.backlog.oldestSeconds))
    metrics.gauge(
      "pickerd_store_pending_records", "Records that are appended, but not stored.",
      .init(figures.backlog.recordCount))
    metrics.histogram(
      "pickerd_store_wait_seconds", "Time from the first append of a batch until it was durable.",
      figures.waitSeconds)
    metrics.histogram(
      "pickerd_store_commit_seconds", "Time of a batch's transaction, including fsync.",
      figures.commitSeconds)
    metrics.histogram(
      "pickerd_store_batch_records", "Records per batch.", figures.batchRecords)
  }

  func addFeed(to metrics: inout MetricFamilies) {
    let position = store.feed.signal.position
    metrics.counter("pickerd_feed_events_total", "Position of the newest event.", .init(position))
    metrics.gauge(
      "pickerd_feed_readers", "Requests that read the feed.", .init(store.feedReaders.current))
    metrics.gauge(
      "pickerd_feed_lag_events", "Events after the position of each cursor.",
      store.feed.cursors.sorted { $0.key < $1.key }
        .map { .init(max(0, position - $0.value), (name: "cursor", value: $0.key)) })
    // Metrics do not wait for the store, which may hang: the next ones have what other nodes set.
    store.feed.lookLater(atCursors: true)
  }
}
