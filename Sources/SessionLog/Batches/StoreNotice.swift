package import PickerHub
package import PickerSession

/// A notice from the store, handled on the thread of each hub that it concerns.
package enum StoreNotice: Sendable {
  /// So many of the next records of each session are committed, the undecided ones of them with
  /// these outcomes.
  case committed([(session: SessionID, count: Int, outcomes: [InventoryOutcome])])
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
  /// A shared definition has a new version.
  case shared(SharedDefinition)
  /// An inventory has changed.
  case inventory(name: String, number: Int)
  /// Sessions were offered something of an inventory.
  case offered([SessionID])
  /// Nodes that are not alive any more, and whose sessions others may claim. Posted again as long
  /// as that is so.
  case stopped([Int64])
  /// A warning for the server's log.
  case message(String)
}

extension Hub {
  /// Handles a notice about sessions of this hub.
  package func handle(_ notice: StoreNotice, at time: HubTime) {
    switch notice {
    case .committed(let parts):
      for (session, count, outcomes) in parts {
        committed(count, outcomes: outcomes, of: session, at: time)
      }
    case .refused(let sessions): for session in sessions { refused(session, at: time) }
    case .taken(let sessions): taken(sessions, at: time)
    case .lost(let sessions): lost(sessions, at: time)
    case .loaded(let session, let outcome): loaded(session, outcome, at: time)
    case .run(_, let work), .runInHub(_, let work):
      seam.begin(at: time)
      work()
    case .orphaned(let sessions): restore(sessions, at: time)
    case .shared(let shared): changed(shared, at: time)
    case .inventory(let name, let number): inventoryChanged(name, number: number, at: time)
    case .offered(let sessions): offered(sessions, at: time)
    case .stopped, .message: return
    }
  }
}

/// Runs `work` at the end of the event-loop iteration in which it is called, after its other
/// messages; at once on a thread that runs no event loop.
package typealias AfterIteration = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
