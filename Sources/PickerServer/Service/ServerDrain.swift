import Foundation
import Synchronization
import WebSocketTransport

/// The end of the server on SIGTERM or SIGINT.
///
/// 1. The loops stop to listen, and read nothing more from their connections.
/// 2. The commands that have been received are stored, applied and answered; clients that read
///    slowly have a second for that.
/// 3. Each client is asked to reconnect after a delay of its own, and its connection is closed.
///
/// A second signal ends the loops immediately, after their current iteration.
struct ServerDrain: Sendable {
  let group: LoopGroup
  let store: ServerStore
  let notifier: ServiceNotifier?
  /// Called when no loop listens any more.
  let stoppedListening: @Sendable () -> Void
  /// The maximum duration.
  let milliseconds: @Sendable () -> Int

  /// Waits for the signals, which the caller must have blocked in all threads.
  func waitForSignals() {
    var signals = Server.endingSignals
    var signal: Int32 = 0
    sigwait(&signals, &signal)
    let end = DispatchTime.now() + .milliseconds(milliseconds())
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
    waitForAnswers(until: min(end, .now() + ServerDrain.answerTime))
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

  /// Waits until the answers have been passed to the kernel: closing drops what is pending.
  private func waitForAnswers(until end: DispatchTime) {
    while DispatchTime.now() < end {
      let pending = PendingBytes()
      // Steps: the store's notices are on their way.
      onAllLoops { pending.add($0.hub.buffered.outboxBytes + $0.hub.buffered.stepBytes) }
      if pending.count == 0 { return }
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

/// The sum of what several loops report.
private final class PendingBytes: Sendable {
  private let sum = Atomic(0)

  var count: Int { sum.load(ordering: .relaxed) }

  func add(_ count: Int) { sum.add(count, ordering: .relaxed) }
}
