import Synchronization
import Testing

@testable import PickerServer

@Suite struct ServiceWatchdogTests {
  /// A part that answers when the test wants.
  private final class Part: Sendable {
    private let answers = Mutex<[@Sendable () -> Void]>([])

    var part: ServiceWatchdog.Part {
      { [self] answer in answers.withLock { $0.append(answer) } }
    }

    var questionCount: Int { answers.withLock { $0.count } }

    func answer() {
      let all = answers.withLock { answers in
        defer { answers = [] }
        return answers
      }
      for answer in all { answer() }
    }
  }

  @Test func `a ping needs an answer of every part`() {
    let (loop, store) = (Part(), Part())
    let pings = Mutex(0)
    let watchdog = ServiceWatchdog(parts: [loop.part, store.part]) { pings.withLock { $0 += 1 } }

    watchdog.ask()
    watchdog.beat()
    #expect(pings.withLock { $0 } == 0)
    loop.answer()
    watchdog.beat()
    #expect(pings.withLock { $0 } == 0, "the store has not answered")
    store.answer()
    watchdog.beat()
    #expect(pings.withLock { $0 } == 1)
    watchdog.beat()
    #expect(pings.withLock { $0 } == 1, "each ping needs new answers")
  }

  @Test func `a part that does not answer is asked once`() {
    let loop = Part()
    let watchdog = ServiceWatchdog(parts: [loop.part]) {}

    watchdog.ask()
    for _ in 0..<5 { watchdog.beat() }

    #expect(loop.questionCount == 1)
  }

  @Test(arguments: [
    ([:], nil), (["WATCHDOG_USEC": "30000000"], 30_000_000),
    (["WATCHDOG_USEC": "5", "WATCHDOG_PID": "7"], 5),
    (["WATCHDOG_USEC": "5", "WATCHDOG_PID": "8"], nil),
    (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "x"], nil),
  ])
  func `the time of the watchdog is for one process`(environment: [String: String], time: Int?) {
    #expect(ServiceWatchdog.microseconds(environment: environment, process: 7) == time)
  }
}
