import PickerHub
import PickerSession
import Synchronization

/// The loops of a server. Each has its own thread, hub and shard of the sessions.
///
/// Loops do not access each other's state; they post work to each other's mailbox.
/// `@unchecked Sendable`: immutable once the first loop runs.
package final class LoopGroup: @unchecked Sendable {
  package private(set) var transports: [HubTransport] = []
  /// The number of requests so far that were assigned round robin, on all loops.
  private let assignedCount = Atomic(0)

  package init() {}

  /// Adds a loop. Must not be called once a loop runs.
  package func add(_ transport: HubTransport) {
    transport.index = transports.count
    transports.append(transport)
  }

  /// The index of the loop that answers a request received by `transport`.
  func index(of target: RequestLoop, receivedBy transport: HubTransport) -> Int {
    switch target {
    case .session(let id): HubShard.index(of: id, among: transports.count)
    case .roundRobin:
      assignedCount.wrappingAdd(1, ordering: .relaxed).oldValue % transports.count
    case .first: 0
    case .receiving: transport.index
    }
  }

  /// Runs `work` on a loop's thread.
  ///
  /// - Returns: False if the loop has ended; `work` is then dropped.
  @discardableResult
  package func post(to index: Int, _ work: @escaping @Sendable (HubTransport) -> Void) -> Bool {
    // Safe: only used on its own thread.
    nonisolated(unsafe) let transport = transports[index]
    return transport.loop.post { work(transport) }
  }

  /// Collects an answer from every loop.
  ///
  /// - Parameters:
  ///   - question: Called on each loop's thread; must call `reply` exactly once on that thread.
  ///   - completion: Called on the thread of `asking`, with the answers in the order of the loops,
  ///     without those of loops that have ended.
  package func ask<Answer: Sendable>(
    for asking: HubTransport,
    _ question:
      @escaping @Sendable (HubTransport, _ reply: @escaping @Sendable (Answer) -> Void) -> Void,
    completion: @escaping ([Answer]) -> Void
  ) {
    let poll = Poll(count: transports.count, completion)
    let home = asking.index
    for index in transports.indices {
      let isAsked = post(to: index) { transport in
        question(transport) { answer in
          self.post(to: home) { _ in poll.note(answer, of: index) }
        }
      }
      if !isAsked { poll.note(nil, of: index) }
    }
  }
}

/// The answers received so far. Only used on the thread of the asking loop.
private final class Poll<Answer: Sendable>: @unchecked Sendable {
  private var answers: [Answer?]
  private var missingCount: Int
  private let completion: ([Answer]) -> Void

  init(count: Int, _ completion: @escaping ([Answer]) -> Void) {
    answers = Array(repeating: nil, count: count)
    missingCount = count
    self.completion = completion
  }

  func note(_ answer: Answer?, of index: Int) {
    answers[index] = answer
    missingCount -= 1
    if missingCount == 0 { completion(answers.compactMap { $0 }) }
  }
}
