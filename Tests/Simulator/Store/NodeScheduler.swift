import SessionLog

/// The queues, clocks and random numbers of a node's store.
final class NodeScheduler: StoreScheduler, @unchecked Sendable {
  let time: SimulatedTime
  var random: RandomSource
  /// By how much the wall clock of the node's machine is wrong, in milliseconds.
  private(set) var skew: Int64
  /// The number of its queues that have something to do.
  fileprivate(set) var busyCount = 0
  /// Whether its process runs. If not, its queues do nothing, and nothing waits.
  private(set) var isAlive = true
  private let origin = ContinuousClock.now

  init(_ time: SimulatedTime, _ random: RandomSource, isSkewed: Bool) {
    self.time = time
    self.random = random
    skew = isSkewed ? Int64(self.random.pick(NodeScheduler.skews)) : 0
  }

  private static let skews = [0, 0, -2000, 3000]

  /// The clock of the node's machine is set, forward or back.
  func stepClock() { skew = Int64(random.pick(NodeScheduler.skews)) }

  func kill() { isAlive = false }

  var now: Int64 { time.wall + skew }

  var instant: ContinuousClock.Instant {
    let isStopped = !isAlive || time.isOver
    return origin + .milliseconds(time.machine) + (isStopped ? .seconds(3600) : .zero)
  }

  func queue(_ name: String, isPatient: Bool) -> any WorkQueue { SimulatedQueue(self) }

  func after(
    _ time: Duration, on queue: any WorkQueue, _ work: @escaping @Sendable () -> Void
  ) {
    self.time.after(Int(time / .milliseconds(1))) { queue.async(work) }
  }

  func random(below bound: Int64) -> Int64 { Int64(random.below(Int(bound))) }

  func sleep(_ time: Duration) { sleep(Int(time / .milliseconds(1))) }

  func sleep(_ milliseconds: Int) {
    if isAlive { time.sleep(milliseconds) }
  }
}

/// A queue of a node's store.
private final class SimulatedQueue: WorkQueue, @unchecked Sendable {
  private let scheduler: NodeScheduler
  private var works: [@Sendable () -> Void] = []
  private var isRunning = false

  init(_ scheduler: NodeScheduler) { self.scheduler = scheduler }

  func async(_ work: @escaping @Sendable () -> Void) {
    guard scheduler.isAlive else { return }
    works.append(work)
    if isRunning { return }
    isRunning = true
    scheduler.busyCount += 1
    scheduler.time.after(scheduler.random.within(0...2)) { [self] in
      scheduler.time.start { [self] in run() }
    }
  }

  private func run() {
    while !works.isEmpty, scheduler.isAlive { works.removeFirst()() }
    isRunning = false
    scheduler.busyCount -= 1
  }

  func drain() {
    while isRunning, scheduler.isAlive, !scheduler.time.isOver { scheduler.sleep(1) }
  }
}
