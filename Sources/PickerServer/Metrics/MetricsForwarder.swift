package import CoreMetrics

/// Passes metrics on to a backend of swift-metrics.
///
/// Every series of the text exposition is an instrument with the same name and labels: a meter for
/// a gauge, otherwise a counter, to which the increase since the last call is added. That includes
/// the series of histograms, because swift-metrics has no instrument for aggregated values.
package final class MetricsForwarder {
  private enum Instrument {
    case counter(Counter, last: Int64)
    case floatingPointCounter(FloatingPointCounter, last: Double)
    case meter(Meter)
  }

  private let factory: any MetricsFactory
  private var instruments: [String: Instrument] = [:]

  package init(_ factory: any MetricsFactory) { self.factory = factory }

  package func forward(_ families: [MetricFamily]) {
    var ids: Set<String> = []
    for family in families {
      for series in family.series {
        let id = series.id
        ids.insert(id)
        let instrument = instruments[id] ?? make(series, family.kind)
        instruments[id] = MetricsForwarder.record(series.value, instrument)
      }
    }
    // Such as the cursor of a reader that the host has deleted.
    for (id, instrument) in instruments where !ids.contains(id) {
      destroy(instrument)
      instruments[id] = nil
    }
  }

  private func make(_ series: MetricFamily.Series, _ kind: MetricFamily.Kind) -> Instrument {
    let labels = series.labels.map { ($0.name, $0.value) }
    switch kind {
    case .gauge: return .meter(Meter(label: series.name, dimensions: labels, factory: factory))
    case .counter, .histogram:
      guard series.isInteger else {
        return .floatingPointCounter(
          FloatingPointCounter(label: series.name, dimensions: labels, factory: factory), last: 0)
      }
      return .counter(Counter(label: series.name, dimensions: labels, factory: factory), last: 0)
    }
  }

  private static func record(_ value: Double, _ instrument: Instrument) -> Instrument {
    switch instrument {
    case .counter(let counter, let last):
      let sum = max(Int64(value), last)
      if sum > last { counter.increment(by: sum - last) }
      return .counter(counter, last: sum)
    case .floatingPointCounter(let counter, let last):
      let sum = max(value, last)
      if sum > last { counter.increment(by: sum - last) }
      return .floatingPointCounter(counter, last: sum)
    case .meter(let meter):
      meter.set(value)
      return instrument
    }
  }

  private func destroy(_ instrument: Instrument) {
    switch instrument {
    case .counter(let counter, last: _): counter.destroy()
    case .floatingPointCounter(let counter, last: _): counter.destroy()
    case .meter(let meter): meter.destroy()
    }
  }
}
