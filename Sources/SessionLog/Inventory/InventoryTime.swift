import Synchronization

/// The time by which holds and offers end: that of the sessions, also when it is a manual clock.
package final class InventoryTime: Sendable {
  private let manual = Mutex<Int64?>(nil)
  private let system: @Sendable () -> Int64

  /// - Parameter system: Milliseconds since 1970; called on any thread.
  package init(system: @escaping @Sendable () -> Int64) { self.system = system }

  /// Milliseconds since 1970.
  package var now: Int64 { manual.withLock { $0 } ?? system() }

  /// A manual clock was set.
  package func set(_ now: Int64) { manual.withLock { $0 = now } }
}
