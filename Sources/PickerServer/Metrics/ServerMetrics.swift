import PickerHub
import PickerModel
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
