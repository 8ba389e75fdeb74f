import CMachine
package import PickerHub

/// How long messages and deliveries take on one loop.
package struct TransportLatencies: Sendable {
  /// The time to process a message on the loop's thread, from its arrival until the resulting
  /// frames were posted or a store operation was started.
  package private(set) var messageSeconds = Histogram.seconds
  /// The time from the arrival of a command to the first write of its delta, or to the end of the
  /// batch if earlier frames were still to be written.
  package private(set) var deliverySeconds = Histogram.seconds
  /// The time from the arrival of a command until its delta was written to its last recipient.
  package private(set) var lastDeliverySeconds = Histogram.seconds
  /// The arrival times of commands whose deltas have not been written to all recipients.
  private var unfinished: [Int64] = []
  /// How many of them, the first ones, are in ``deliverySeconds``.
  private var writtenCount = 0

  /// - Returns: The time to process the message, in nanoseconds.
  mutating func processed(messageOf arrival: Int64) -> Int64 {
    let nanoseconds = machine_monotonic_ns() - arrival
    messageSeconds.record(Double(nanoseconds) / 1_000_000_000)
    return nanoseconds
  }

  /// Notes that the delta of a command was posted. ``written()`` and ``wroteBatch(at:)`` measure
  /// the time.
  mutating func delivered(commandOf arrival: Int64) { unfinished.append(arrival) }

  /// Records the commands whose deltas have been posted since the last call.
  mutating func written() {
    if writtenCount < unfinished.count { written(at: machine_monotonic_ns()) }
  }

  private mutating func written(at now: Int64) {
    while writtenCount < unfinished.count {
      deliverySeconds.record(Double(now - unfinished[writtenCount]) / 1_000_000_000)
      writtenCount += 1
    }
  }

  /// Records the commands whose deltas have been posted: everything has been written.
  mutating func wroteBatch(at now: Int64) {
    if unfinished.isEmpty { return }
    written(at: now)
    writtenCount = 0
    // `removeAll` is slow generic code.
    while let arrival = unfinished.popLast() {
      lastDeliverySeconds.record(Double(now - arrival) / 1_000_000_000)
    }
  }
}
