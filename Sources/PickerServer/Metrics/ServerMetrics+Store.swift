import SessionLog

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
  }
}
