package import PickerHub
import PickerSession
import PickerWire

/// What an application's backend asks of a hub: to create, change, decide, read and end sessions.
///
/// An operation runs on the hub's thread, and returns at once, or when the log has stored what it
/// must. After each wait the hub has another time, and a session may have changed or ended.
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
package struct HostOperations {
  let seam: HostSeam

  /// The answer to a change that changes nothing.
  func unchanged(_ hosted: HostedSession) -> DocumentAnswer {
    let (revision, version) = (hosted.session.revision, hosted.session.fold.version)
    return DocumentAnswer(
      version: version, body: HTTPDocument.unchanged(revision: revision, version: version))
  }

  /// Encodes an answer, on another thread if it is large.
  ///
  /// - Parameter weight: A number of rows or notes.
  func encode<Value: Sendable>(
    ofWeight weight: Int, _ work: @escaping @Sendable () -> Value
  ) async -> Value {
    weight > rowsOnLoop ? await seam.inBackground(work) : work()
  }

  /// The result of `work`, which runs on another thread.
  func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () throws(HubProblem) -> Value
  ) async throws(HubProblem) -> Value {
    try await seam.inBackground { Result { () throws(HubProblem) in try work() } }.get()
  }
}

extension Hub {
  package var host: HostOperations { HostOperations(seam: seam) }

  /// Begins an operation of the host.
  ///
  /// - Parameter answer: Gets its outcome, once, on the hub's thread.
  package func begin<Value>(
    _ operation: @escaping (HostOperations) async throws(HubProblem) -> Value,
    answer: @escaping (Result<Value, HubProblem>) -> Void
  ) {
    performOnHub { [host] in
      do throws(HubProblem) {
        answer(.success(try await operation(host)))
      } catch {
        answer(.failure(error))
      }
    }
  }
}
