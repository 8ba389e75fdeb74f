package import PickerSession

/// What a server allows; the first eleven are told to every member as `limits`.
/// What an operator sets, and its defaults, are `ServerLimit`'s; a test holds these against them.
/// - Source: protocol.md, "When it goes wrong".
package struct ServerLimits: Hashable, Sendable {
  /// Bytes of one message from a client; default 65,536.
  package var messageBytes = 65_536
  /// How long a connection may wait with its `join`; default 10 s.
  package var joinMilliseconds: Int64 = 10_000
  /// How long a member may be away; default 120 s.
  package var memberMilliseconds: Int64 = 120_000
  /// Messages of one connection in a second; default 50.
  package var messagesPerSecond = 50
  /// The maxima of each session.
  package var session = SessionLimits()
  /// Sessions that are not ended; default 100,000.
  package var sessions = 100_000
  /// Bytes that may wait for one connection before a snapshot takes their place; default 1 MiB.
  package var outboxBytes = 1_048_576
  /// Messages that may wait for one connection, answers that no snapshot replaces included; default
  /// 1,000. More close it.
  package var outboxMessages = 1000
  /// Bytes of a session's commands that wait for its log, about, before its connections are no
  /// longer read; default 1 MiB. At twice as many a connection is closed.
  package var queueBytes = 1_048_576
  /// Bytes of a connection's messages that wait for its session to be loaded, before it is no
  /// longer read; default 64 KiB.
  package var inboxBytes = 65_536
  /// Bytes of all records that wait for the store; default 64 MiB. Over it nothing is stored, and
  /// the sessions concerned are unloaded.
  package var pendingBytes = 67_108_864
  /// How long a stream that was opened by a ticket goes on; default 24 h.
  package var ticketStreamSeconds = 86_400
  /// Bytes of a request's body; default 4 MiB.
  package var bodyBytes = 4_194_304
  /// The longest time that a session can be asked to live untouched; default a year.
  package var ttlSeconds = 31_536_000
  /// How long a connection may read nothing after a snapshot took the place of what waited for it;
  /// default 10 s.
  package var stalledMilliseconds: Int64 = 10_000

  package init() {}

  /// What members are told, in its order.
  var told: [(name: StaticString, value: Int)] {
    [
      ("messageBytes", messageBytes), ("months", session.months), ("rows", session.rows),
      ("windowRows", session.windowRows), ("joinMilliseconds", Int(joinMilliseconds)),
      ("memberMilliseconds", Int(memberMilliseconds)), ("refs", session.refs),
      ("undo", session.undo), ("history", session.history), ("members", session.members),
      ("messagesPerSecond", messagesPerSecond),
    ]
  }
}
