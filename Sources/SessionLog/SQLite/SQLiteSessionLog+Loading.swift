import PickerHub
import PickerModel
import PickerSession

extension SQLiteSessionLog {
  /// Loads a session and passes it to its hub. Called on ``readingQueue``.
  func read(_ session: SessionID, _ limits: SessionLimits, hub: Int) {
    do {
      let outcome = try pool.read { database in
        try SQLiteReading.load(session, limits: limits, versions, database) { origin in
          try definitions.definition(of: origin, hub: hub)
        } make: { document in
          self.definitions.definition(document: document, hub: hub)
        }
      }
      switch outcome {
      case nil: notify(.loaded(session, nil))
      case .diverged(let divergence):
        queue.async {
          self.renew(session, divergence) { self.read(session, limits, hub: hub) }
        }
      case .loaded(let loaded, let byteCount):
        state.withLock { $0.note(byteCount, of: session, max: self.limits.logBytes) }
        notify(.loaded(session, loaded))
      }
    } catch {
      notify(.message("session \(session) cannot be read from \(path): \(error.storeText)"))
      notify(.loaded(session, nil))
    }
  }
}
