import CoreMetrics
import Dispatch

/// Passes the metrics to a backend of swift-metrics at an interval, until it is stopped.
///
/// The backend is called on a queue of this object, never on the thread of a loop. While it is
/// busy, no further samples are taken.
final class MetricsSampler {
  static let milliseconds = 10_000

  private let timer: any DispatchSourceTimer

  /// - Parameter collect: Calls its argument once with the current metrics, on any thread.
  init(
    _ factory: any MetricsFactory, everyMilliseconds interval: Int = milliseconds,
    collect:
      @escaping @Sendable (_ report: @escaping @Sendable ([MetricFamily]) -> Void) -> Void
  ) {
    let queue = DispatchQueue(label: "pickerd.metrics")
    // Safe: only used on the queue.
    nonisolated(unsafe) let forwarder = MetricsForwarder(factory)
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + .milliseconds(interval), repeating: .milliseconds(interval))
    timer.setEventHandler {
      collect { families in queue.async { forwarder.forward(families) } }
    }
    timer.activate()
  }

  func stop() { timer.cancel() }
}
