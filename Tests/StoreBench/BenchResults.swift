import Foundation

/// All measurements and their medians as a table and as JSON.
struct BenchResults {
  enum Row: Hashable {
    /// Transactions of one INSERT.
    case bare
    /// Hub and store in this process, by number of sessions.
    case hub(Int)
    /// A server process and WebSockets, by number of sessions.
    case sockets(Int)

    var name: String {
      switch self {
      case .bare: "bare transactions, fsynced"
      case .hub(let count): "hub and store, \(count) sessions"
      case .sockets(let count): "server over WebSocket, \(count) sessions"
      }
    }
  }

  private let settings: BenchSettings
  private var order: [Row] = []
  private var measured: [Row: [Measured]] = [:]

  init(_ settings: BenchSettings) { self.settings = settings }

  mutating func add(_ one: Measured, as row: Row) {
    if measured[row] == nil { order.append(row) }
    measured[row, default: []].append(one)
  }

  private func median(_ row: Row, _ value: (Measured) -> Double) -> Double {
    let values = (measured[row] ?? []).map(value).sorted()
    return values.isEmpty ? 0 : values[values.count / 2]
  }

  /// Rates as multiples of the bare rate of the same round, so that slow phases affect both.
  private func multiple(_ row: Row) -> Double {
    let ratios = zip(measured[row] ?? [], measured[.bare] ?? []).map { $0.rate / $1.rate }.sorted()
    return ratios.isEmpty ? 0 : ratios[ratios.count / 2]
  }

  private func cells(_ row: Row) -> [String] {
    let rates = (measured[row] ?? []).map(\.rate)
    let own = median(row) { 100 * $0.ownSeconds / $0.seconds }
    let server = median(row) { 100 * $0.serverSeconds / $0.seconds }
    return [
      row.name, whole(median(row, \.rate)), whole(rates.min() ?? 0) + "…" + whole(rates.max() ?? 0),
      String(format: "%.1f", multiple(row)),
      String(format: "%.1f", median(row) { $0.latency(0.5) }),
      String(format: "%.1f", median(row) { $0.latency(0.99) }), whole(own), whole(server),
    ]
  }

  private func whole(_ value: Double) -> String { String(Int(value.rounded())) }

  var table: String {
    let head = [
      "durable commands", "a second", "least…most", "× bare", "p50 ms", "p99 ms", "cpu %",
      "server %",
    ]
    let lines = [head] + order.map(cells)
    let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    let text = lines.map { line in
      line.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - line[column].count)
        return column == 0 ? line[column] + space : space + line[column]
      }.joined(separator: "  ")
    }
    return text.joined(separator: "\n") + "\nmedians of \(settings.rounds) rounds of "
      + "\(settings.seconds) s each, interleaved; \(FileSystem.name(of: settings.folder))"
      + (flushMicroseconds > 0 ? ", each flush made \(flushMicroseconds) µs longer; " : "; ")
      + "\(ProcessInfo.processInfo.activeProcessorCount) processors\n"
  }

  /// The delay that `make bench-store FLUSH=…` adds to each flush.
  private var flushMicroseconds: Int {
    ProcessInfo.processInfo.environment["FLUSH_MICROSECONDS"].flatMap { Int($0) } ?? 0
  }

  var json: String {
    let rows = order.map { row -> [String: Any] in
      [
        "name": row.name, "perSecond": median(row, \.rate).rounded(),
        "timesBare": (multiple(row) * 10).rounded() / 10,
        "p50Milliseconds": median(row) { $0.latency(0.5) },
        "p99Milliseconds": median(row) { $0.latency(0.99) },
        "rounds": (measured[row] ?? []).map { $0.rate.rounded() },
      ]
    }
    let all: [String: Any] = [
      "rounds": settings.rounds, "seconds": settings.seconds,
      "flushMicroseconds": flushMicroseconds, "fileSystem": FileSystem.name(of: settings.folder),
      "processors": ProcessInfo.processInfo.activeProcessorCount, "results": rows,
    ]
    let data = try? JSONSerialization.data(withJSONObject: all, options: [.sortedKeys])
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}

extension Measured {
  /// For the program that has started this one.
  var json: String {
    """
    {"perSecond":\(rate),"p50":\(latency(0.5)),"p99":\(latency(0.99)),"cpu":\(ownSeconds / seconds),\
    "batches":\(batchCount),"records":\(recordCount)}
    """
  }
}

/// The file system of the stores.
enum FileSystem {
  static func name(of path: String) -> String {
    var place = URL(fileURLWithPath: path).standardizedFileURL.path
    let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
    let known = mounts.split(separator: "\n").map { $0.split(separator: " ") }.filter {
      $0.count > 2
    }
    while true {
      if let mount = known.last(where: { $0[1] == place }) { return "\(mount[2]) on \(mount[0])" }
      if place == "/" { return "unknown file system" }
      place = (place as NSString).deletingLastPathComponent
    }
  }
}
