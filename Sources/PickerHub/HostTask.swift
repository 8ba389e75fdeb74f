package import PickerSession

/// Runs the steps of the host's operations where they are resumed: on the hub's thread, at once.
///
/// An operation waits only for answers that come on the thread of its hub, so that it never leaves
/// this thread, and continues inside the call that answers. Taps are no tasks.
private final class HostExecutor: TaskExecutor {
  static let shared = HostExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// Begins an operation on the hub's thread. It runs up to its first wait before this returns.
package func performOnHub(_ operation: @escaping () async -> Void) {
  // Safe: all steps run on the hub's thread.
  nonisolated(unsafe) let operation = operation
  _ = Task.immediate(executorPreference: HostExecutor.shared) { await operation() }
}

/// Waits for an answer that comes on the hub's thread.
///
/// - Parameter begin: Asks. It must call the function that it gets exactly once.
package func answered<Value>(
  _ begin: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
  await withUnsafeContinuation { continuation in
    begin { value in
      // Safe: the operation continues on the thread that answers.
      nonisolated(unsafe) let value = value
      continuation.resume(returning: value)
    }
  }
}

/// An entry that was appended for the host: its effects come when the log has stored it.
package final class AppendedEntry {
  private enum State {
    case pending
    case waited(UnsafeContinuation<Void, Never>)
    case done(Result<[Effect], HubProblem>)
  }

  private var state = State.pending

  func finish(_ result: Result<[Effect], HubProblem>) {
    let before = state
    state = .done(result)
    if case .waited(let continuation) = before { continuation.resume() }
  }

  /// What the entry has done.
  ///
  /// - Throws: Why the log has lost it.
  package func effects() async throws(HubProblem) -> [Effect] {
    if case .pending = state {
      await withUnsafeContinuation { state = .waited($0) }
    }
    guard case .done(let result) = state else { preconditionFailure("waited for once") }
    return try result.get()
  }
}
