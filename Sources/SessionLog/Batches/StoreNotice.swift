package import PickerHub
package import PickerSession

/// A notice from the store, handled on the thread of each hub that it concerns.
package enum StoreNotice: Sendable {
  /// The next records of each session are committed.
  case committed([(session: SessionID, records: CommittedRecords)])
  /// Pending records of these sessions are lost.
  case lost([SessionID])
  /// A load has finished.
  case loaded(SessionID, LogLookup<LoadedSession>)
  /// A function to call on the thread of a session's hub.
  case run(SessionID, @Sendable () -> Void)
  /// A function to call on the thread of a hub, by its index.
  case runInHub(Int, @Sendable () -> Void)
  /// An announcement about a session has arrived.
  case announced(PresenceAnnouncement, by: NodeIncarnation, SessionID)
  /// Sessions that this node shall load, because no other one does.
  case orphaned([DormantSession])
  /// Announcements may have been lost.
  case announcementsLost
  /// A node has stopped.
  case nodeLost(NodeIncarnation)
  /// A warning for the server's log.
  case message(String)
}

/// Runs `work` at the end of the current event-loop iteration of the session's hub.
package typealias AfterIteration =
  @Sendable (SessionID, _ work: @escaping @Sendable () -> Void) -> Void
