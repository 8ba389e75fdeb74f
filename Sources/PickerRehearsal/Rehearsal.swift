import CMachine
import Foundation

/// Plays scenes with a client, and reports which clauses of the contract it violates.
package struct Rehearsal: Sendable {
  package struct Outcome: Sendable {
    package let scene: Scene
    package let seconds: Double
    /// The violated sentence of the contract; `nil` if the scene passed.
    package let clause: Clause?
    package let detail: String
    package let notes: String
    package var isPassed: Bool { clause == nil }
  }

  private let scenes: [Scene]
  private let patience: Double
  private let makeClient: @Sendable () -> any RehearsedClient

  /// - Parameters:
  ///   - patience: The seconds that a client may take for each immediate reaction.
  ///   - makeClient: Called once for each scene.
  package init(
    _ scenes: [Scene] = Scene.all, patience: Double = 3,
    with makeClient: @escaping @Sendable () -> any RehearsedClient
  ) {
    self.scenes = scenes
    self.patience = patience
    self.makeClient = makeClient
  }

  /// A rehearsal of a child process; `{url}` in its command is replaced by the session's URL.
  package init(_ scenes: [Scene] = Scene.all, patience: Double = 3, command: [String]) {
    self.init(scenes, patience: patience) { ChildClient(command) }
  }

  /// Plays all scenes, `jobs` at a time.
  ///
  /// - Parameter report: Called with each outcome as soon as its scene has ended, on any thread,
  ///   but never concurrently.
  /// - Returns: The outcomes in the order of the scenes.
  package func run(
    jobs: Int, report: @escaping @Sendable (Outcome) -> Void = { _ in }
  ) -> [Outcome] {
    signal(SIGPIPE, SIG_IGN)
    let board = Board(count: scenes.count)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = max(1, jobs)
    for (index, scene) in scenes.enumerated() {
      queue.addOperation {
        let outcome = play(scene)
        board.note(outcome, at: index, report)
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    return board.outcomes
  }

  private func play(_ scene: Scene) -> Outcome {
    let start = machine_monotonic_ms()
    let client = makeClient()
    var clause: Clause?
    var detail = ""
    do {
      let stage = try Stage(
        client, patience: patience, definition: scene.definition, limits: scene.limits)
      defer { stage.end() }
      try scene.play(stage)
    } catch let breach as Breach {
      (clause, detail) = (breach.clause, breach.detail)
    } catch {
      (clause, detail) = (.join, "the client cannot be started: \(error)")
    }
    let seconds = Double(machine_monotonic_ms() - start) / 1000
    return Outcome(
      scene: scene, seconds: seconds, clause: clause, detail: detail,
      notes: clause == nil ? "" : client.notes)
  }
}

/// Collects outcomes from several threads. `@unchecked Sendable`: guarded by a lock.
private final class Board: @unchecked Sendable {
  private let lock = NSLock()
  private var noted: [Rehearsal.Outcome?]

  init(count: Int) { noted = Array(repeating: nil, count: count) }

  func note(
    _ outcome: Rehearsal.Outcome, at index: Int, _ report: (Rehearsal.Outcome) -> Void
  ) {
    lock.withLock {
      noted[index] = outcome
      report(outcome)
    }
  }

  var outcomes: [Rehearsal.Outcome] { lock.withLock { noted.compactMap { $0 } } }
}
