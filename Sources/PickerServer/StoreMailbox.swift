import SessionLog
import Synchronization

/// Carries the store's words to the loop's thread.
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
