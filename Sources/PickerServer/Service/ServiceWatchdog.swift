import Foundation
import Synchronization

/// Sends watchdog pings to the service manager while every part of the server answers.
///
/// A loop that hangs in an endless computation, or a store that hangs in a system call, sends no
/// answer, so that the service manager restarts the process. A store that cannot be written does
/// answer: a restart would not help.
/// - Source: sd_watchdog_enabled(3).
package final class ServiceWatchdog: Sendable {
  /// Calls its argument from the part's thread, as soon as that processes new work.
  package typealias Part = @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void

  private let parts: [Part]
  private let ping: @Sendable () -> Void
  /// Parts that have not answered since the last ping.
  private let missingCount = Mutex(0)

  package init(parts: [Part], ping: @escaping @Sendable () -> Void) {
    self.parts = parts
    self.ping = ping
  }

  /// The time within which the service manager expects a ping; `nil` if it expects none.
  package static func microseconds(environment: [String: String], process: Int32) -> Int? {
    guard let text = environment["WATCHDOG_USEC"], let time = Int(text), time > 0 else {
      return nil
    }
    let expected = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
    return expected ? time : nil
  }

  /// Pings several times within `microseconds`, on a thread of its own.
  package func start(microseconds: Int) {
    ask()
    let interval = TimeInterval(max(microseconds / 4, 10_000)) / 1_000_000
    let thread = Thread { [self] in
      while true {
        Thread.sleep(forTimeInterval: interval)
        beat()
      }
    }
    thread.name = "pickerd.watchdog"
    thread.start()
  }

  /// Pings if all parts have answered since the last ping.
  package func beat() {
    guard missingCount.withLock({ $0 }) == 0 else { return }
    ping()
    ask()
  }

  /// Requires an answer of every part before the next ping.
  package func ask() {
    missingCount.withLock { $0 = parts.count }
    for part in parts { part { [self] in missingCount.withLock { $0 -= 1 } } }
  }
}
