import JSONText

/// The state of a running server, for `pickerd status`.
struct ServerStatus: Sendable {
  let url: String
  private let interval: MetricsInterval
  private var last: MetricsSample { interval.last }

  /// - Parameters:
  ///   - first: Metrics of the server; rates are those between the two times.
  ///   - seconds: When they were read, in seconds of a monotonic clock.
  init(
    url: String, first: (text: String, seconds: Double), last: (text: String, seconds: Double)
  ) {
    self.url = url
    interval = MetricsInterval(
      first: MetricsSample(first.text, at: first.seconds),
      last: MetricsSample(last.text, at: last.seconds))
  }

  var sessions: Double? { last["pickerd_sessions"] }
  var residentSessions: Double? { last["pickerd_sessions_resident"] }
  var webSockets: Double? { last["pickerd_connections"] }
  var sockets: Double? { last["pickerd_sockets"] }

  /// The CPU time per second of each loop, in the order of the loops.
  var loopShares: [Double] {
    interval.rates("pickerd_loop_seconds_total")
      .sorted { (Int($0.key) ?? 0) < (Int($1.key) ?? 0) }.map(\.value)
  }

  /// Events per second, with the names to show.
  var rates: [(name: String, perSecond: Double)] {
    let names = [
      ("messages", "pickerd_messages_total"), ("commands", "pickerd_commands_total"),
      ("deltas", "pickerd_deltas_total"), ("deliveries", "pickerd_deliveries_total"),
      ("joins", "pickerd_joins_total"), ("resumes", "pickerd_resumes_total"),
    ]
    let refusals = interval.rates("pickerd_refusals_total").values.reduce(0, +)
    let limited = interval.rates("pickerd_rate_limited_total").values.reduce(0, +)
    return names.compactMap { name, metric in interval.rate(metric).map { (name, $0) } }
      + [("refusals", refusals), ("rateLimited", limited)]
  }

  /// Durations in seconds; `nil` if nothing was measured in the interval.
  var latencies: [(name: String, median: Double?, p99: Double?)] {
    let names = [
      ("delivery", "pickerd_delivery_seconds"),
      ("lastDelivery", "pickerd_last_delivery_seconds"), ("message", "pickerd_message_seconds"),
      ("iteration", "pickerd_loop_iteration_seconds"), ("storeWait", "pickerd_store_wait_seconds"),
      ("storeCommit", "pickerd_store_commit_seconds"),
    ]
    return names.map { name, metric in
      (name, interval.quantile(0.5, of: metric), interval.quantile(0.99, of: metric))
    }
  }

  /// Connections that receive less than is sent to them, now.
  var writeBlocked: Double? { last["pickerd_connections_write_blocked"] }
  /// Connections that are not read, because they send more than the store takes.
  var paused: Double? { last["pickerd_connections_paused"] }
  /// Snapshots per second in place of the pending updates of slow readers.
  var slowReaderSnapshots: Double? { interval.rate("pickerd_slow_reader_snapshots_total") }
  /// Connections closed since the start because they did not read.
  var slowReadersClosed: Double { last.byLabel("pickerd_closes_total")["4508"] ?? 0 }

  /// Whether the store can be written; `nil` for a server without a store.
  var isStoreHealthy: Bool? { last["pickerd_store_failed"].map { $0 == 0 } }
  var storeBatches: Double? { interval.rate("pickerd_store_batches_total") }
  /// The age of the oldest append that is not stored, in seconds.
  var storeLag: Double? { last["pickerd_store_lag_seconds"] }

  /// Bytes in buffers, by their names.
  var buffers: [(name: String, bytes: Double)] {
    last.byLabel("pickerd_buffer_bytes").sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  var feedPosition: Double? { last["pickerd_feed_events_total"] }
  var feedReaders: Double? { last["pickerd_feed_readers"] }
  /// Events that each cursor has not passed.
  var feedLags: [(cursor: String, events: Double)] {
    last.byLabel("pickerd_feed_lag_events").sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension ServerStatus {
  /// One JSON object, with rates per second and durations in seconds.
  var json: String {
    func number(_ value: Double?) -> JSONTree {
      guard let value else { return .null }
      return Int(exactly: value).map { .integer($0) } ?? .number((value * 1e6).rounded() / 1e6)
    }
    let latencies = latencies.map { entry in
      JSONTree.Member(
        entry.name,
        .object([.init("median", number(entry.median)), .init("p99", number(entry.p99))]))
    }
    let document = JSONTree.object([
      .init("url", .string(url)),
      .init("sessions", number(sessions)), .init("residentSessions", number(residentSessions)),
      .init("webSockets", number(webSockets)), .init("sockets", number(sockets)),
      .init("loops", .array(loopShares.map(number))),
      .init("rates", .object(rates.map { .init($0.name, number($0.perSecond)) })),
      .init("latencies", .object(latencies)),
      .init("writeBlocked", number(writeBlocked)), .init("paused", number(paused)),
      .init("slowReaderSnapshots", number(slowReaderSnapshots)),
      .init("slowReadersClosed", number(slowReadersClosed)),
      .init("storeHealthy", isStoreHealthy.map { .bool($0) } ?? .null),
      .init("storeBatches", number(storeBatches)), .init("storeLag", number(storeLag)),
      .init("bufferBytes", .object(buffers.map { .init($0.name, number($0.bytes)) })),
      .init("feedPosition", number(feedPosition)), .init("feedReaders", number(feedReaders)),
      .init("feedLags", .object(feedLags.map { .init($0.cursor, number($0.events)) })),
    ])
    return String(decoding: document.serialized(), as: UTF8.self)
  }
}
