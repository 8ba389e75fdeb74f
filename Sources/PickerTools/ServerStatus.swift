import JSONText

/// What `pickerd status` prints, from the metrics of a server at two times.
/// - Source: prometheus.io/docs/instrumenting/exposition_formats.
struct ServerStatus {
  /// By the name of a sample with its labels, `pickerd_loop_seconds_total{loop="0"}`.
  private let before, after: [String: Double]
  private let seconds: Double

  /// - Parameters:
  ///   - before: Metrics of the server in the Prometheus text format.
  ///   - after: The same, `seconds` later.
  init(before: String, after: String, seconds: Double) {
    self.before = ServerStatus.samples(before)
    self.after = ServerStatus.samples(after)
    self.seconds = max(seconds, 0.001)
  }

  private static func samples(_ text: String) -> [String: Double] {
    text.split(separator: "\n").reduce(into: [:]) { samples, line in
      guard !line.hasPrefix("#"), let blank = line.lastIndex(of: " ") else { return }
      samples[String(line[..<blank])] = Double(line[line.index(after: blank)...])
    }
  }

  /// The values of a family by the value of its label. Several labels are one key.
  private static func labels(_ samples: [String: Double], of name: String) -> [String: Double] {
    samples.reduce(into: [:]) { found, sample in
      guard sample.key.hasPrefix(name + "{"), let start = sample.key.firstIndex(of: "\"") else {
        return
      }
      found[String(sample.key[sample.key.index(after: start)...].dropLast(2))] = sample.value
    }
  }

  /// Increases of a counter per second by its labels, `""` if it has none. A counter that has
  /// decreased belongs to a new process.
  private func rates(_ name: String) -> [String: Double] {
    let counts = after[name].map { ["": $0] } ?? ServerStatus.labels(after, of: name)
    let earlier = before[name].map { ["": $0] } ?? ServerStatus.labels(before, of: name)
    return counts.reduce(into: [:]) { rates, entry in
      rates[entry.key] = max(0, entry.value - min(earlier[entry.key] ?? 0, entry.value)) / seconds
    }
  }

  /// The value below which a part of the histogram's observations between the two times were, by
  /// linear interpolation in its bucket; `nil` if there were none.
  private func quantile(_ part: Double, of name: String) -> Double? {
    let earlier = ServerStatus.labels(before, of: name + "_bucket")
    let buckets = ServerStatus.labels(after, of: name + "_bucket").compactMap { bound, count in
      Double(bound.replacing("+Inf", with: "inf")).map {
        (bound: $0, count: count - (earlier[bound] ?? 0))
      }
    }.sorted { $0.bound < $1.bound }
    guard let total = buckets.last?.count, total > 0 else { return nil }
    let rank = part * total
    var lower = (bound: 0.0, count: 0.0)
    for bucket in buckets {
      if bucket.count >= rank, bucket.count > lower.count {
        guard bucket.bound.isFinite else { return lower.bound }
        let share = (rank - lower.count) / (bucket.count - lower.count)
        return lower.bound + (bucket.bound - lower.bound) * share
      }
      lower = bucket
    }
    return lower.bound
  }
}

extension ServerStatus {
  /// Figures by name: rates per second, durations in seconds, sizes in bytes; null for what the
  /// server does not have, or what was not measured.
  var document: JSONTree {
    let loops = rates("pickerd_loop_seconds_total").sorted { Int($0.key) ?? 0 < Int($1.key) ?? 0 }
    return .object([
      .init("sessions", value("sessions")), .init("residentSessions", value("sessions_resident")),
      .init("webSockets", value("connections")), .init("sockets", value("sockets")),
      .init("loops", .array(loops.map { number($0.value) })),
      .init(
        "rates",
        .object([
          .init("messages", rate("messages")), .init("commands", rate("commands")),
          .init("deltas", rate("deltas")), .init("deliveries", rate("deliveries")),
          .init("joins", rate("joins")), .init("resumes", rate("resumes")),
          .init("refusals", rate("refusals", absent: 0)),
          .init("rateLimited", rate("rate_limited", absent: 0)),
        ])),
      .init(
        "latencies",
        .object([
          .init("delivery", latency("delivery")), .init("lastDelivery", latency("last_delivery")),
          .init("message", latency("message")), .init("iteration", latency("loop_iteration")),
          .init("storeWait", latency("store_wait")), .init("storeCommit", latency("store_commit")),
        ])),
      .init("writeBlocked", value("connections_write_blocked")),
      .init("paused", value("connections_paused")),
      .init("slowReaderSnapshots", rate("slow_reader_snapshots")),
      .init("slowReadersClosed", number(after["pickerd_closes_total{code=\"4508\"}"] ?? 0)),
      .init("storeHealthy", after["pickerd_store_failed"].map { .bool($0 == 0) } ?? .null),
      .init("storeBatches", rate("store_batches")), .init("storeLag", value("store_lag_seconds")),
      .init("nodes", value("nodes")), .init("relays", value("relays")),
      .init("failedRelays", rate("relays_failed")),
      .init("bufferBytes", values("buffer_bytes")),
      .init("feedPosition", value("feed_events_total")),
      .init("feedReaders", value("feed_readers")), .init("feedLags", values("feed_lag_events")),
    ])
  }

  private func number(_ value: Double?) -> JSONTree {
    guard let value else { return .null }
    return Int(exactly: value).map { .integer($0) } ?? .number((value * 1e6).rounded() / 1e6)
  }

  private func value(_ name: String) -> JSONTree { number(after["pickerd_\(name)"]) }

  private func values(_ name: String) -> JSONTree {
    let found = ServerStatus.labels(after, of: "pickerd_\(name)").sorted { $0.key < $1.key }
    return .object(found.map { .init($0.key, number($0.value)) })
  }

  private func rate(_ name: String, absent: Double? = nil) -> JSONTree {
    let rates = rates("pickerd_\(name)_total").values
    return number(rates.isEmpty ? absent : rates.reduce(0, +))
  }

  private func latency(_ name: String) -> JSONTree {
    .object(
      [("median", 0.5), ("p99", 0.99)].map { key, part in
        .init(key, number(quantile(part, of: "pickerd_\(name)_seconds")))
      })
  }

  /// The document as lines `name: value`, those of an object indented; `-` for null.
  static func page(_ document: JSONTree, indent: String = "") -> String {
    (document.members ?? []).map { member in
      let name = indent + printable(member.key) + ":"
      guard member.value.members == nil else {
        return name + "\n" + page(member.value, indent: indent + "  ")
      }
      let values = member.value.array ?? [member.value]
      return ([name] + values.map(text)).joined(separator: " ") + "\n"
    }.joined()
  }

  private static func text(_ value: JSONTree) -> String {
    if case .null = value { return "-" }
    return printable(value.string ?? String(decoding: value.serialized(), as: UTF8.self))
  }
}
