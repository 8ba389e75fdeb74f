import CoreMetrics
import MetricsTestKit
import PickerHub
import Synchronization
import Testing

@testable import PickerServer

/// Metrics as instruments of swift-metrics, in the test backend of that library.
@Suite struct MetricsForwarderTests {
  private let backend = TestMetrics()
  private let forwarder: MetricsForwarder

  init() { forwarder = MetricsForwarder(backend) }

  /// The value that the backend has for a series of the text exposition.
  private func value(_ series: MetricFamily.Series, _ kind: MetricFamily.Kind) throws -> Double {
    let labels = series.labels.map { ($0.name, $0.value) }
    switch kind {
    case .gauge: return try #require(try backend.expectMeter(series.name, labels).values.last)
    case .counter, .histogram:
      return Double(try backend.expectCounter(series.name, labels).totalValue)
    }
  }

  private func metrics(
    taps: Int, closes: [String: Int], lags: [String: Int], cpuSeconds: Double = 0
  ) -> [MetricFamily] {
    var histogram = Histogram(bounds: [0.5, 1])
    for tap in 0..<taps { histogram.record(Double(tap)) }
    var metrics = MetricFamilies()
    metrics.gauge("pickerd_sessions", "Sessions.", .init(7 - taps))
    metrics.counter("pickerd_commands_total", "Commands.", .init(taps))
    metrics.counter(
      "pickerd_closes_total", "Closes.",
      closes.sorted { $0.key < $1.key }.map { .init($0.value, ("code", $0.key)) })
    metrics.gauge(
      "pickerd_feed_lag_events", "Lags.",
      lags.sorted { $0.key < $1.key }.map { .init($0.value, ("cursor", $0.key)) })
    metrics.counter("pickerd_loop_seconds_total", "CPU time.", .init(cpuSeconds, ("loop", "0")))
    metrics.histogram("pickerd_message_seconds", "Times.", histogram)
    return metrics.all
  }

  @Test func `each series of the text exposition is an instrument with its value`() throws {
    for taps in [2, 2, 5] {
      let sample = metrics(
        taps: taps, closes: ["4503": taps, "1000": 2 * taps], lags: ["crm": 9 - taps],
        cpuSeconds: Double(taps))
      forwarder.forward(sample)
      for family in sample {
        for series in family.series {
          #expect(try value(series, family.kind) == series.value, "\(series.id), \(taps) taps")
        }
      }
    }
  }

  @Test func `a counter is incremented by what was added since the last sample`() throws {
    for taps in [2, 2, 5] { forwarder.forward(metrics(taps: taps, closes: [:], lags: [:])) }

    let counter = try backend.expectCounter("pickerd_commands_total")
    #expect(counter.values == [2, 3])
  }

  @Test func `fractions of a sum are not lost`() throws {
    for step in 1...8 {
      forwarder.forward(metrics(taps: 0, closes: [:], lags: [:], cpuSeconds: Double(step) / 4))
    }

    let seconds = try backend.expectCounter("pickerd_loop_seconds_total", [("loop", "0")])
    #expect(seconds.totalValue == 2)
  }

  @Test func `the instrument of a series that is gone is destroyed`() throws {
    forwarder.forward(metrics(taps: 1, closes: [:], lags: ["crm": 3, "mail": 4]))
    forwarder.forward(metrics(taps: 1, closes: [:], lags: ["mail": 5]))

    #expect(throws: (any Error).self) {
      try backend.expectMeter("pickerd_feed_lag_events", [("cursor", "crm")])
    }
    let mail = try backend.expectMeter("pickerd_feed_lag_events", [("cursor", "mail")])
    #expect(mail.values == [4, 5])
  }

  @Test func `a sampler passes samples to the backend at its interval`() async throws {
    let samples = AsyncStream<Int>.makeStream()
    let count = Mutex(0)
    let sampler = MetricsSampler(backend, everyMilliseconds: 1) { report in
      let number = count.withLock {
        $0 += 1
        return $0
      }
      var metrics = MetricFamilies()
      metrics.counter("pickerd_commands_total", "Commands.", .init(number))
      report(metrics.all)
      samples.continuation.yield(number)
    }
    for await number in samples.stream where number == 3 { break }
    sampler.stop()

    // The backend has got the first sample before the third was taken, because they share a queue.
    #expect(try backend.expectCounter("pickerd_commands_total").totalValue >= 1)
  }
}
