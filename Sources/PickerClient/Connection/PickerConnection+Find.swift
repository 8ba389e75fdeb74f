import Synchronization

extension PickerConnection {
  /// Finds rows of a column by the beginning of their text, of a word in it, or a part of it,
  /// without regard to case and accents; also rows that are not loaded, and by the terms that the
  /// host has given a row. Rows found can be selected like loaded ones.
  ///
  /// - Parameters:
  ///   - text: 1 … 64 characters.
  ///   - limit: 1 … 100; other numbers are cut.
  /// - Throws: ``PickerFailure/replaced`` if there is a later search before the answer, and
  ///   ``PickerFailure/offline`` if there is no connection, or it is lost.
  public func find(
    _ text: String, in column: Int, limit: Int = 20
  ) async throws(PickerFailure) -> PickerFound {
    let ticket = core.withLock { $0.finds.ticket() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        core.withLock { core in
          let id = core.machine.nextFind
          guard core.finds.wait(ticket, for: id, continuation) else { return }
          run(.find(text, column: column, limit: limit), &core)
        }
      }
    } onCancel: {
      core.withLock { $0.finds.cancel(ticket) }
    }
    return try result.get()
  }
}
