import Foundation

/// The settings of a run.
struct BenchSettings {
  /// The folder of the stores, created for the run and removed afterwards.
  var folder = ".build/bench-store"
  /// The server's release build; `nil` skips measurements with sockets.
  var server: String? = ".build/release/pickerd"
  var rounds = 5
  /// The duration of each measurement.
  var seconds = 2.0
  var sessionCounts = [1, 10, 1000]
  /// A PostgreSQL database in which the hub's sessions are stored; `nil`: an SQLite file. With a
  /// database only the hub and the store are measured, once.
  var database: String?
  /// The number of commands of a session that wait for an answer, without sockets.
  var inFlight = 1

  /// Reads `folder=… server=… rounds=… seconds=… sessions=… database=… window=…`.
  init(_ arguments: some Sequence<String>) {
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      switch (parts.first, parts.count == 2 ? parts[1] : "") {
      case ("folder", let value) where !value.isEmpty: folder = value + "/bench-store"
      case ("server", let value): server = value.isEmpty ? nil : value
      case ("rounds", let value): rounds = max(1, Int(value) ?? rounds)
      case ("seconds", let value): seconds = Double(value) ?? seconds
      case ("sessions", let value): sessionCounts = Int(value).map { [max(1, $0)] } ?? sessionCounts
      case ("database", let value) where !value.isEmpty: database = value
      case ("window", let value): inFlight = max(1, Int(value) ?? inFlight)
      default:
        print(
          "StoreBench [folder=DIR] [server=PATH] [rounds=5] [seconds=2] [sessions=N] "
            + "[database=postgres://…] [window=1]")
        exit(EX_USAGE)
      }
    }
  }

  /// The path of a new store.
  func newStore() -> String { "\(folder)/\(UUID().uuidString).sqlite" }
}

/// Seconds of the monotonic clock.
func secondsNow() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

/// The result of one measurement.
struct Measured {
  let count: Int
  let seconds: Double
  /// Latencies from command to answer in milliseconds, sorted.
  var latencies: [Double] = []
  /// CPU seconds of this process and of the server, if any.
  var ownSeconds = 0.0
  var serverSeconds = 0.0
  /// The batches of the store, and their records.
  var batchCount = 0
  var recordCount = 0

  var rate: Double { Double(count) / seconds }

  /// The latency in milliseconds that `share` of the answers does not exceed.
  func latency(_ share: Double) -> Double {
    latencies.isEmpty
      ? 0 : latencies[min(latencies.count - 1, Int(share * Double(latencies.count)))]
  }
}

/// CPU seconds of this process so far.
func processorSeconds() -> Double {
  var usage = rusage()
  getrusage(RUSAGE_SELF.rawValue, &usage)
  let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
  return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(micros) / 1e6
}
