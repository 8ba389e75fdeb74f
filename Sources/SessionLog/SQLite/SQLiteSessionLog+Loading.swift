package import PickerHub
import PickerModel
package import PickerSession

extension SQLiteSessionLog {
  package func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    let load = PendingLoad(session: session, limits: limits, hub: hub)
    if state.withLock({ $0.add(load) }) { queueBatch(of: session) }
  }

  /// Loads a session and passes it to its hub. Called on ``readingQueue``.
  func read(_ load: PendingLoad) {
    let session = load.session
    do {
      let outcome = try pool.read { database in
        try SQLiteRows(session, database).map { try self.outcome(of: load, $0) }
      }
      switch outcome {
      case nil: notify(.loaded(session, .absent))
      case .diverged(let divergence):
        queue.async { self.renew(session, divergence) { self.read(load) } }
      case .loaded(let loaded, let byteCount):
        state.withLock { $0.note(byteCount, of: session) }
        notify(.loaded(session, .found(loaded)))
      }
    } catch {
      let id = session.shortened
      notify(.message("session \(id) cannot be read from \(path): \(error)"))
      notify(.loaded(session, .unavailable))
    }
  }

  private func outcome(of load: PendingLoad, _ rows: SQLiteRows) throws -> StoredReading.Outcome {
    try StoredReading.load(
      rows, limits: load.limits, versions,
      definition: { try definitions.definition(of: $0, hub: load.hub) },
      make: { self.definitions.definition(document: $0, hub: load.hub) })
  }

  package func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) {
    historyQueue.async {
      let page = try? self.pool.read { database in
        try SQLiteRows(position.origin.id, database).flatMap { rows in
          try StoredHistory.page(from: position, rows, make: self.definitions.make(_:))
        }
      }
      self.notify(.run(position.origin.id) { completion(page ?? nil) })
    }
  }
}
