package import Logging
import Synchronization

/// The level below which events are not logged, shared by all loggers of the process.
package final class LogThreshold: Reloadable {
  private let level: Mutex<Logger.Level>

  package init(_ level: Logger.Level) { self.level = Mutex(level) }

  package var current: Logger.Level { level.withLock { $0 } }

  func prepare(_ settings: ServerConfiguration) -> @Sendable () -> Void {
    { [self] in level.withLock { $0 = settings.logLevel } }
  }
}
