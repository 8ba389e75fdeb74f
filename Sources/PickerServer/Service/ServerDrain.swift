import Foundation
import Synchronization
import WebSocketTransport

/// The end of the server on SIGTERM or SIGINT.
///
/// 1. The loops stop to listen, and read nothing more from their connections.
/// 2. The commands that have been received are stored, applied and answered.
/// 3. Each client is asked to reconnect after a delay of its own, and its connection is closed;
///    clients that read slowly have a second for the answers before that.
/// 4. A node gives up its sessions as soon as their last snapshots are stored, so that other nodes
///    serve them, whatever the connections wait for.
///
/// A second signal ends the loops immediately, after their current iteration.
struct ServerDrain: Sendable {
  let group: LoopGroup
  let store: ServerStore
  let notifier: ServiceNotifier?
  /// Called when no loop listens any more.
  let stoppedListening: @Sendable () -> Void
  /// The maximum duration.
  let milliseconds: Int

  /// Waits for the signals, which the caller must have blocked in all threads.
  func waitForSignals() {
    var signals = Server.endingSignals
    var signal: Int32 = 0
    sigwait(&signals, &signal)
    let end = DispatchTime.now() + .milliseconds(milliseconds)
    notifier?.stopping()
    Thread.detachNewThread { drain(until: end) }
    sigwait(&signals, &signal)
    for index in group.transports.indices { group.post(to: index) { $0.loop.stop() } }
  }

  private func drain(until end: DispatchTime) {
    store.feed.signal.close()
    onAllLoops { transport in
      transport.loop.stopListening()
      transport.finishCommands()
    }
    stoppedListening()
    // Records that were appended before are passed to the store at the end of the iteration.
    onAllLoops { _ in }
    let stored = DispatchSemaphore(value: 0)
    store.afterWriting { stored.signal() }
    // A store that hangs must not take the time that the connections need to close.
    let now = DispatchTime.now()
    let rest = end.uptimeNanoseconds - min(now.uptimeNanoseconds, end.uptimeNanoseconds)
    _ = stored.wait(timeout: now + .nanoseconds(Int(rest / 2)))
    // The store has posted its notices to the loops before this.
    let answersEnd = min(end, .now() + ServerDrain.answerTime)
    wait(until: answersEnd) { transport in transport.hub.buffered.stepBytes == 0 }
    onAllLoops { transport in transport.hub.drain(isPatient: true, at: transport.now) }
    store.giveUp()
    wait(until: answersEnd) { transport in
      transport.hub.drain(isPatient: true, at: transport.now)
    }
    let left =
      end.uptimeNanoseconds - min(DispatchTime.now().uptimeNanoseconds, end.uptimeNanoseconds)
    for index in group.transports.indices {
      group.post(to: index) { transport in
        transport.hub.drain(at: transport.now)
        transport.loop.drain(withinMilliseconds: max(1, Int(left / 1_000_000)))
      }
    }
  }

  /// The maximum time for the answers to reach clients that read slowly.
  private static let answerTime = DispatchTimeInterval.seconds(1)

  /// Waits until `isDone` holds on every loop.
  private func wait(
    until end: DispatchTime, _ isDone: @escaping @Sendable (HubTransport) -> Bool
  ) {
    while DispatchTime.now() < end {
      let busy = BusyLoops()
      onAllLoops { if !isDone($0) { busy.add() } }
      if busy.isEmpty { return }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  /// Runs `work` on every loop, and waits for it. Loops that have ended are left out.
  private func onAllLoops(_ work: @escaping @Sendable (HubTransport) -> Void) {
    let done = DispatchGroup()
    for index in group.transports.indices {
      done.enter()
      let isPosted = group.post(to: index) { transport in
        work(transport)
        done.leave()
      }
      if !isPosted { done.leave() }
    }
    _ = done.wait(timeout: .now() + 1)
  }
}

/// How many loops are not done.
private final class BusyLoops: Sendable {
  private let count = Atomic(0)

  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  func add() { count.add(1, ordering: .relaxed) }
}
