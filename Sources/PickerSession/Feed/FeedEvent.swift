package import CivilTime

/// The types of events in the feed, by their names on the wire.
package enum FeedEventType: String, CaseIterable, Sendable {
  case created = "session.created"
  case confirming = "session.confirming"
  case confirmed = "session.confirmed"
  case cancelled = "session.cancelled"
  case reopened = "session.reopened"
  case ended = "session.ended"
  case offered = "session.offered"
  case held = "session.held"
  case holdEnded = "session.holdEnded"
  case lateConfirmation = "session.confirming.late"
  case definitionChanged = "definition.changed"
  case definitionRejected = "definition.rejected"
  case inventoryOver = "inventory.over"
  case resultChanged = "result.changed"
  case memberJoined = "member.joined"
  case memberLeft = "member.left"
}

/// An event of a session or of a shared definition, for readers of the feed.
///
/// One of a session follows from an entry of its log and the state after it, so deriving it again
/// after a crash gives the same event. The store assigns its position when it commits the entry.
/// - Source: web/guide/feed.md.
package struct FeedEvent: Hashable, Sendable {
  package let type: FeedEventType
  /// `nil` if it is of a shared definition.
  package let session: SessionID?
  /// That of the session, or of the shared definition.
  package let namespace: String?
  /// Two events with equal identities are the same event.
  package let identity: String
  package let timestamp: Instant
  /// The `data` object as JSON, at most ``dataByteCountMax`` bytes.
  package let data: [UInt8]

  /// A larger result is left out, so that an event with its envelope has at most 20,000 bytes.
  package static let dataByteCountMax = 19_500
  /// The host's reason for a denial is left out if it is longer than this many bytes of JSON.
  static let detailByteCountMax = 4096

  /// Bytes that it takes in memory while it is pending.
  package var byteCount: Int { 160 + data.count }

  /// - Parameter discriminator: Distinguishes events of the same type at the same revision.
  init(
    _ type: FeedEventType, of origin: SessionOrigin, revision: Int, discriminator: String = "",
    timestamp: Instant, data: [UInt8]
  ) {
    self.type = type
    session = origin.id
    namespace = origin.host.namespace
    identity = "\(origin.id) \(origin.epoch) \(revision) \(type.rawValue) \(discriminator)"
    self.timestamp = timestamp
    self.data = data
  }

  /// The end of a session whose log cannot be read. Only its id and epoch are known.
  package init(
    endOfUnreadable session: SessionID, epoch: String, namespace: String?, at now: Instant
  ) {
    type = .ended
    self.session = session
    self.namespace = namespace
    identity = "\(session) \(epoch) end"
    timestamp = now
    data = Array(
      #"{"session":"\#(session)","epoch":"\#(epoch)","reason":"\#(SessionEnd.expired)"}"#.utf8)
  }
}

extension FeedEvent {
  /// A shared definition has a new version. It is of no session: those that use it are not reported
  /// unless they are watched.
  ///
  /// - Parameters:
  ///   - name: With its namespace, see ``SharedDefinition/name(_:in:)``.
  ///   - epoch: That of the feed: after a restore, versions are given again.
  package init(sharedDefinition name: String, version: Int, epoch: String, at now: Instant) {
    type = .definitionChanged
    session = nil
    namespace = SharedDefinition.namespace(of: name)
    identity = "\(name) \(epoch) \(version) \(type.rawValue)"
    timestamp = now
    let given = SharedDefinition.givenName(name)
    data = Array(#"{"name":"\#(given)","version":\#(version)}"#.utf8)
  }
}

/// Why a session has ended, the `reason` of `session.ended`.
package enum SessionEnd: String, Sendable {
  case deleted
  case expired
  /// Its log has reached the maximum of bytes.
  case full
}
