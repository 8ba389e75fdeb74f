import Logging
import Synchronization

/// Collects log lines: `level message`.
final class LogLines: Sendable {
  let all = Mutex<[String]>([])

  var log: Logger {
    Logger(label: "test") { [self] _ in Handler(lines: self) }
  }

  private struct Handler: LogHandler {
    let lines: LogLines
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey name: String) -> Logger.Metadata.Value? {
      get { metadata[name] }
      set { metadata[name] = newValue }
    }

    func log(event: LogEvent) {
      lines.all.withLock { $0.append("\(event.level) \(event.message)") }
    }
  }
}
