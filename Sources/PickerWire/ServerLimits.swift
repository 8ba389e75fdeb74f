package import PickerSession

/// The maxima of a server. Twelve of them are sent to each client in `limits` of the welcome, see
/// ``announced``.
///
/// Operators set them with `--limit`, which `ServerLimit` defines with the same defaults; a test
/// compares both.
///
/// - Source: web/guide/README.md, "Closing, errors and time-outs".
package struct ServerLimits: Hashable, Sendable {
  /// Bytes of one message from a client; default 65,536.
  package var messageBytes = 65_536
  /// The time in which a connection must send `join`; default 10 s.
  package var joinMilliseconds: Int64 = 10_000
  /// The time without a connection after which a member leaves; default 120 s.
  package var memberMilliseconds: Int64 = 120_000
  /// Messages per second of one connection; default 50.
  package var messagesPerSecond = 50
  /// The maxima of each session.
  package var session = SessionLimits()
  /// Sessions that have not ended; default 100,000.
  package var sessions = 100_000
  /// Bytes of the sessions in memory and of logs in memory, an estimate; default 4 GiB. Over it,
  /// sessions are neither created nor loaded, and definitions and notes not changed.
  package var sessionsBytes = 4_294_967_296
  /// Bytes queued for one connection; default 1 MiB. Over it, pending updates are replaced by a
  /// snapshot.
  package var outboxBytes = 1_048_576
  /// Bytes queued for all connections of a hub; default 256 MiB. Over it, each may have 16 KiB.
  package var outboxesBytes = 268_435_456
  /// Messages queued for one connection, including answers, which a snapshot does not replace;
  /// default 1,000. Over it, the connection is closed.
  package var outboxMessages = 1000
  /// Approximate bytes of a session's commands that are queued for its log; default 1 MiB. Over it,
  /// the session's connections are not read; at twice as many the sending connection is closed.
  package var queueBytes = 1_048_576
  /// Bytes of a connection's messages that are queued while its session is loaded; default 64 KiB.
  /// Over it, the connection is not read.
  package var inboxBytes = 65_536
  /// Bytes of all records that are pending for the store; default 64 MiB. Over it, further records
  /// are not stored, and their sessions are evicted.
  package var pendingBytes = 67_108_864
  /// Bytes in use in the store of all sessions; default 64 GiB. Over it, new sessions, members and
  /// commands are refused.
  package var storeBytes = 68_719_476_736
  /// Bytes of a request body; default 4 MiB.
  package var bodyBytes = 4_194_304
  /// The maximum of a session's `ttlSeconds`; default a year.
  package var ttlSeconds = 31_536_000
  /// The time without progress after which a connection is closed, once its pending updates were
  /// replaced by a snapshot; default 10 s.
  package var stalledMilliseconds: Int64 = 10_000

  package init() {}

  /// The limits in the welcome, in the order in which they are written.
  var announced: [(name: StaticString, value: Int)] {
    [
      ("messageBytes", messageBytes), ("months", session.months), ("rows", session.rows),
      ("windowRows", session.windowRows), ("joinMilliseconds", Int(joinMilliseconds)),
      ("memberMilliseconds", Int(memberMilliseconds)), ("refs", session.refs),
      ("undo", session.undo), ("history", session.history), ("members", session.members),
      ("messagesPerSecond", messagesPerSecond), ("runs", session.runs),
    ]
  }
}
