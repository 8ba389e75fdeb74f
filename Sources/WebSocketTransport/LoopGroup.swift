import PickerHub
import PickerSession
import Synchronization

/// The loops of a server, each with its thread, its hub and its share of the sessions.
///
/// Nothing of one loop is touched by another: they leave word in each other's mailbox.
/// `@unchecked Sendable`: it does not change once the first loop runs.
package final class LoopGroup: @unchecked Sendable {
  package private(set) var transports: [HubTransport] = []
  /// Whose turn it is to have the next new session: one count for all loops.
  private let sessionTurn = Atomic(0)

  package init() {}

  /// Adds the next loop, before any of them runs.
  package func add(_ transport: HubTransport) {
    transport.index = transports.count
    transports.append(transport)
  }

  /// The number of the loop for a place; `transport` is where the request came in.
  func index(of place: RequestPlace, seenFrom transport: HubTransport) -> Int {
    switch place {
    case .session(let id): HubShare.index(of: id, among: transports.count)
    case .inTurn:
      sessionTurn.wrappingAdd(1, ordering: .relaxed).oldValue % transports.count
    case .first: 0
    case .here: transport.index
    }
  }

  /// Does something on a loop's thread, soon.
  ///
  /// - Returns: False if the loop is over.
  @discardableResult
  package func post(to index: Int, _ work: @escaping @Sendable (HubTransport) -> Void) -> Bool {
    // Only carried: the work is done on its own thread.
    nonisolated(unsafe) let transport = transports[index]
    return transport.loop.post {
      work(transport)
      transport.rearm()
    }
  }

  /// Asks every loop something.
  ///
  /// - Parameters:
  ///   - question: Called on each loop's thread; calls `reply` once, there.
  ///   - completion: Called on the thread of `asking`, with the answers in the order of the loops,
  ///     without those of loops that are over.
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

/// What the loops have answered so far. Only on the thread of the one that asks.
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
