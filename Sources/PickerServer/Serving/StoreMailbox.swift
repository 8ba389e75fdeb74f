import PickerHub
import PickerSession
import SessionLog
import Synchronization

/// Delivers the store's notices to a loop's thread.
///
/// Before the loop is connected, its hub has no sessions, so notices are dropped, except for those
/// that it shall load.
final class StoreMailbox: Sendable {
  private struct State {
    var receiver: Receiver?
    var orphans: [DormantSession] = []
  }

  private let state = Mutex(State())

  /// Boxes a closure. A bare closure in a `Mutex` gains a reabstraction thunk each time it is read
  /// and written back, until calling it overflows the stack.
  private final class Receiver: Sendable {
    let receive: @Sendable (StoreNotice) -> Void

    init(_ receive: @escaping @Sendable (StoreNotice) -> Void) { self.receive = receive }
  }

  func connect(_ receive: @escaping @Sendable (StoreNotice) -> Void) {
    let box = Receiver(receive)
    let orphans = state.withLock { state in
      state.receiver = box
      defer { state.orphans = [] }
      return state.orphans
    }
    if !orphans.isEmpty { receive(.orphaned(orphans)) }
  }

  func post(_ notice: StoreNotice) {
    let receiver = state.withLock { state in
      if state.receiver == nil, case .orphaned(let sessions) = notice { state.orphans += sessions }
      return state.receiver
    }
    receiver?.receive(notice)
  }
}

/// The mailboxes of a server's loops, in the order of the loops.
extension [StoreMailbox] {
  /// The mailbox of the loop that owns a session.
  func of(_ session: SessionID) -> StoreMailbox {
    self[HubShard.index(of: session, among: count)]
  }

  /// Posts to each loop the parts of a notice that concern its sessions.
  func post(_ notice: StoreNotice) {
    switch notice {
    case .committed(let records):
      share(records, by: \.session) { $0.post(.committed($1)) }
    case .refused(let sessions):
      share(sessions, by: \.self) { $0.post(.refused($1)) }
    case .taken(let sessions):
      share(sessions, by: \.self) { $0.post(.taken($1)) }
    case .lost(let sessions):
      share(sessions, by: \.self) { $0.post(.lost($1)) }
    case .offered(let sessions):
      share(sessions, by: \.self) { $0.post(.offered($1)) }
    case .loaded(let session, _), .run(let session, _):
      of(session).post(notice)
    case .orphaned(let sessions):
      share(sessions, by: \.id) { $0.post(.orphaned($1)) }
    case .runInHub(let index, _): self[index].post(notice)
    case .shared, .inventory, .stopped: for mailbox in self { mailbox.post(notice) }
    case .message: break
    }
  }

  private func share<Part>(
    _ parts: [Part], by session: (Part) -> SessionID, post: (StoreMailbox, [Part]) -> Void
  ) {
    if count == 1 { return post(self[0], parts) }
    var shares = [[Part]](repeating: [], count: count)
    for part in parts { shares[HubShard.index(of: session(part), among: count)].append(part) }
    for (mailbox, share) in zip(self, shares) where !share.isEmpty { post(mailbox, share) }
  }
}
