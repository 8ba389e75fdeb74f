import CivilTime
import Foundation
import HeapModule
import PickerHub

/// The clock and the scheduled work of a simulated cluster. Work of the same time runs in the order
/// in which it was added.
///
/// Work that sleeps, as that of a store's queues does, has a thread of its own. Only one of these
/// threads and the caller's runs at a time, so everything follows from the seed.
final class ClusterTime: @unchecked Sendable {
  private struct Entry: Comparable {
    let time: Int64
    let number: Int
    let work: () -> Void

    static func < (left: Entry, right: Entry) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private var heap = Heap<Entry>()
  private(set) var eventCount = 0
  private var addedCount = 0
  private(set) var machine: Int64 = 0
  /// The thread that runs; `nil`: that of ``run(until:while:)``.
  private var current: SimulatedThread?
  private var sleeping: [SimulatedThread] = []
  private var idle: [SimulatedThread] = []
  /// Whether the world has ended: nothing waits any more.
  private(set) var isOver = false

  deinit { for thread in idle { thread.end() } }

  /// Friday, 2026-11-20, 12:00:50 in UTC, and the machine's time since then: the first tick of a
  /// slot is 10 s later.
  var now: HubTime {
    HubTime(session: Instant(milliseconds: 1_795_176_050_000 + machine), machine: machine)
  }

  func after(_ milliseconds: Int, _ work: @escaping () -> Void) {
    addedCount += 1
    heap.insert(
      Entry(time: machine + Int64(max(0, milliseconds)), number: addedCount, work: work))
  }

  /// Runs the work until a time, in machine milliseconds, while a condition holds.
  func run(until end: Int64, while condition: () -> Bool = { true }) {
    while condition(), let next = heap.min, next.time <= end {
      heap.removeMin()
      machine = max(machine, next.time)
      eventCount += 1
      next.work()
    }
    if condition() { machine = max(machine, end) }
  }

  /// Runs work that may sleep, until it does. Must not be called by such work.
  func start(_ work: @escaping () -> Void) {
    let thread = idle.popLast() ?? SimulatedThread()
    thread.work = work
    resume(thread)
  }

  /// Lets time pass for the work that calls it.
  func sleep(_ milliseconds: Int) {
    guard let thread = current else { preconditionFailure("only work with a thread sleeps") }
    if isOver { return }
    sleeping.append(thread)
    after(milliseconds) { [unowned self] in
      if sleeping.contains(where: { $0 === thread }) { resume(thread) }
    }
    thread.pause()
  }

  private func resume(_ thread: SimulatedThread) {
    sleeping.removeAll { $0 === thread }
    current = thread
    thread.run()
    current = nil
    if thread.work == nil { idle.append(thread) }
  }

  /// Ends the work that sleeps: its databases and nodes fail from now on.
  func end() {
    isOver = true
    while let thread = sleeping.first { resume(thread) }
    heap = Heap()
  }
}

/// A thread that runs only while another one waits for it.
private final class SimulatedThread: @unchecked Sendable {
  private let resumed = DispatchSemaphore(value: 0)
  private let paused = DispatchSemaphore(value: 0)
  private var hasEnded = false
  /// What it does; `nil` if it has nothing to do.
  var work: (() -> Void)?

  init() {
    let thread = Thread { [self] in
      while true {
        resumed.wait()
        if hasEnded { return }
        work?()
        work = nil
        paused.signal()
      }
    }
    thread.name = "simulated"
    thread.start()
  }

  /// Runs its work until that pauses or is done.
  func run() {
    resumed.signal()
    paused.wait()
  }

  /// Called by its work.
  func pause() {
    paused.signal()
    resumed.wait()
  }

  func end() {
    hasEnded = true
    resumed.signal()
  }
}
