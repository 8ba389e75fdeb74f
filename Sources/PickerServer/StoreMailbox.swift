import PickerHub
import PickerSession
import SessionLog
import Synchronization

/// Carries the store's words to a loop's thread.
final class StoreMailbox: Sendable {
  private let receiver = Mutex<Receiver?>(nil)

  /// A closure in a box. A bare one in a mutex gets another thunk around it each time it is taken
  /// out (its calling convention is converted, and put back so), until a call of it overflows the
  /// stack.
  private final class Receiver: Sendable {
    let receive: @Sendable (StoreNotice) -> Void

    init(_ receive: @escaping @Sendable (StoreNotice) -> Void) { self.receive = receive }
  }

  func connect(_ receive: @escaping @Sendable (StoreNotice) -> Void) {
    let box = Receiver(receive)
    receiver.withLock { $0 = box }
  }

  func post(_ notice: StoreNotice) { receiver.withLock { $0 }?.receive(notice) }
}

/// The mailboxes of a server's loops, in their order.
extension [StoreMailbox] {
  /// That of the loop that has a session.
  func of(_ session: SessionID) -> StoreMailbox {
    self[HubShare.index(of: session, among: count)]
  }

  /// Tells each loop what concerns its sessions.
  func post(_ notice: StoreNotice) {
    switch notice {
    case .stored(let counts):
      share(counts, by: \.session) { $0.post(.stored($1)) }
    case .lost(let sessions):
      share(sessions, by: \.self) { $0.post(.lost($1)) }
    case .loaded(let session, _), .run(let session, _): of(session).post(notice)
    case .said: break
    }
  }

  private func share<Part>(
    _ parts: [Part], by session: (Part) -> SessionID, post: (StoreMailbox, [Part]) -> Void
  ) {
    if count == 1 { return post(self[0], parts) }
    var shares = [[Part]](repeating: [], count: count)
    for part in parts { shares[HubShare.index(of: session(part), among: count)].append(part) }
    for (mailbox, share) in zip(self, shares) where !share.isEmpty { post(mailbox, share) }
  }
}
