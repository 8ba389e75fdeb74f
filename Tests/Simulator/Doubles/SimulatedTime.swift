import CivilTime
import Foundation
import HeapModule
import PickerHub

/// The clocks of a world and what happens in it, by the machine's time. Events of the same time
/// happen in the order in which they were added.
///
/// The machine's clock is monotonic. The sessions' wall clock runs or is frozen, and can be set
/// forward and back.
///
/// Work that sleeps, as that of a store's queues does, has a thread of its own. Only one of these
/// threads and the caller's runs at a time, so everything follows from the seed.
final class SimulatedTime: @unchecked Sendable {
  private struct Entry: Comparable {
    let time: Int64
    let number: Int
    let event: Event

    static func < (left: Entry, right: Entry) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private var heap = Heap<Entry>()
  private(set) var eventCount = 0
  private var addedCount = 0
  /// Milliseconds since the world's start.
  private(set) var machine: Int64 = 0
  private let start: Instant
  /// Whether the sessions' clock runs; if not, it is frozen until it is set.
  let runs: Bool
  private var sessionOffset: Int64
  /// The thread that runs; `nil`: the caller's.
  private var current: SimulatedThread?
  private var sleeping: [SimulatedThread] = []
  private var idle: [SimulatedThread] = []
  /// Whether the world has ended: nothing waits any more.
  private(set) var isOver = false

  init(start: Instant, runs: Bool) {
    (self.start, self.runs) = (start, runs)
    sessionOffset = start.milliseconds
  }

  /// The sessions' clock.
  var session: Instant {
    Instant(milliseconds: runs ? machine + sessionOffset : sessionOffset)
  }

  var now: HubTime { HubTime(session: session, machine: machine) }

  /// The clock of the store, which nobody sets: milliseconds since 1970.
  var wall: Int64 { start.milliseconds + machine }

  /// Sets the sessions' clock.
  func set(_ instant: Instant) {
    sessionOffset = instant.milliseconds - (runs ? machine : 0)
  }

  func advance(to machine: Int64) { self.machine = max(self.machine, machine) }

  func add(_ event: Event, at time: Int64) {
    addedCount += 1
    heap.insert(Entry(time: time, number: addedCount, event: event))
  }

  func after(_ milliseconds: Int, _ work: @escaping () -> Void) {
    add(.work(work), at: machine + Int64(max(0, milliseconds)))
  }

  /// Advances to the next event.
  ///
  /// - Returns: `nil` if there is none until `end`.
  func next(until end: Int64 = .max) -> Event? {
    guard let next = heap.min, next.time <= end else { return nil }
    heap.removeMin()
    advance(to: next.time)
    eventCount += 1
    return next.event
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
    guard thread.work == nil else { return }
    if isOver { thread.end() } else { idle.append(thread) }
  }

  /// Ends the work that sleeps, whose databases and nodes fail from now on, and the threads: a
  /// world may be retained by an operation that waits for an answer.
  func end() {
    isOver = true
    while let thread = sleeping.first { resume(thread) }
    for thread in idle { thread.end() }
    idle = []
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
