package import PickerHub
package import PickerSession

/// A notice from the store, handled on the thread of each hub that it concerns.
package enum StoreNotice: Sendable {
  /// So many of the next records of each session are committed.
  case committed([(session: SessionID, count: Int)])
  /// Creations were not stored: other sessions have their names.
  case refused([SessionID])
  /// Pending records of these sessions are lost.
  case lost([SessionID])
  /// Another node owns these sessions: nothing of their pending records is stored.
  case taken([SessionID])
  /// A load has finished.
  case loaded(SessionID, LogLookup<LoadedSession>)
  /// A function to call on the thread of a session's hub.
  case run(SessionID, @Sendable () -> Void)
  /// A function to call on the thread of a hub, by its index.
  case runInHub(Int, @Sendable () -> Void)
  /// Sessions that this node has claimed because no other one does what they are due for.
  case orphaned([DormantSession])
  /// A warning for the server's log.
  case message(String)
}

/// Runs `work` at the end of the current event-loop iteration of the session's hub.
package typealias AfterIteration =
  @Sendable (SessionID, _ work: @escaping @Sendable () -> Void) -> Void
