import Synchronization

/// The server to which the last connection of an address was made. When that is another one than
/// before, as after a failover, connections to the former server fail. If that one hangs, each of
/// them would otherwise be waited for in turn.
final class CurrentServer: Sendable {
  /// When the server was started (`pg_postmaster_start_time`), in microseconds since 1970; no two
  /// have started at the same time.
  /// - Source: postgresql.org/docs/15/functions-info.html
  private let start = Atomic(0)

  /// How long it takes at most until a call in progress at the former server fails.
  static let noticeMilliseconds = 250

  func connected(to server: Int) { start.store(server, ordering: .relaxed) }

  func isCurrent(_ server: Int) -> Bool { start.load(ordering: .relaxed) == server }
}
