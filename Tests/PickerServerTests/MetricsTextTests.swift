import PickerHub
import Testing

@testable import PickerServer

@Suite struct MetricsTextTests {
  @Test func `counters and gauges have help, type and labels`() {
    var metrics = MetricFamilies()
    metrics.gauge("pickerd_connections", "Open connections.", .init(3))
    metrics.counter(
      "pickerd_commands_total", "Commands by answer.",
      .init(7, ("answer", "delta")), .init(2, ("answer", "refused"), ("code", "noSuchRow")))

    #expect(
      MetricsText(metrics.all).text == """
        # HELP pickerd_connections Open connections.
        # TYPE pickerd_connections gauge
        pickerd_connections 3
        # HELP pickerd_commands_total Commands by answer.
        # TYPE pickerd_commands_total counter
        pickerd_commands_total{answer="delta"} 7
        pickerd_commands_total{answer="refused",code="noSuchRow"} 2

        """)
  }

  @Test func `the buckets of a histogram are cumulative up to its count`() {
    var histogram = Histogram(bounds: [0.5, 1, 10])
    for value in [0.25, 0.5, 0.75, 8, 100] { histogram.record(value) }
    var metrics = MetricFamilies()
    metrics.histogram("pickerd_iteration_seconds", "An iteration.", histogram)

    #expect(
      MetricsText(metrics.all).text == """
        # HELP pickerd_iteration_seconds An iteration.
        # TYPE pickerd_iteration_seconds histogram
        pickerd_iteration_seconds_bucket{le="0.5"} 2
        pickerd_iteration_seconds_bucket{le="1"} 3
        pickerd_iteration_seconds_bucket{le="10"} 4
        pickerd_iteration_seconds_bucket{le="+Inf"} 5
        pickerd_iteration_seconds_sum 109.5
        pickerd_iteration_seconds_count 5

        """)
  }

  @Test func `label values are escaped`() {
    var metrics = MetricFamilies()
    metrics.gauge("pickerd_build", "One\nline \\ \"two\".", .init(1, ("text", "a\"b\\c\nd")))

    #expect(
      MetricsText(metrics.all).text == """
        # HELP pickerd_build One\\nline \\\\ "two".
        # TYPE pickerd_build gauge
        pickerd_build{text="a\\"b\\\\c\\nd"} 1

        """)
  }

  @Test func `numbers have the format of Prometheus`() {
    var metrics = MetricFamilies()
    metrics.gauge(
      "pickerd_x", "X.", .init(0.000_05), .init(Double.infinity), .init(-Double.infinity),
      .init(Double.nan), .init(1e300), .init(Int.max / 2))

    let values = MetricsText(metrics.all).text.split(separator: "\n").dropFirst(2).map {
      $0.split(separator: " ")[1]
    }
    #expect(values == ["5e-05", "+Inf", "-Inf", "NaN", "1e+300", "4611686018427387904"])
  }

  @Test func `the standard buckets ascend from 50 µs to 10 s`() {
    #expect(Histogram.seconds.bounds.first == 0.000_05)
    #expect(Histogram.seconds.bounds.last == 10)
  }
}
