import CMachine

extension SocketLoop {
  /// Milliseconds of CLOCK_MONOTONIC, which starts at an arbitrary time and never jumps.
  package static func monotonicMilliseconds() -> Int64 { machine_monotonic_ms() }

  /// The same clock in nanoseconds.
  package static func monotonicNanoseconds() -> Int64 { machine_monotonic_ns() }

  /// Milliseconds since 1970-01-01T00:00Z.
  package static func wallMilliseconds() -> Int64 { machine_wall_ms() }

  /// CPU time of the calling thread in microseconds.
  package static func threadMicroseconds() -> Int64 { machine_thread_us() }
}
