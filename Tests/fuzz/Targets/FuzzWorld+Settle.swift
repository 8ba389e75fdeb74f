import JSONText
import PickerHost
import PickerHub
import PickerSession

/// Invariants after the last event.
extension FuzzWorld {
  /// Completes pending requests, closes all connections and compares every session with its log.
  func settle() throws(FuzzFailure) {
    log.isFailing = false
    try storeAndLoad()
    for slot in connections.indices { drop(slot) }
    try storeAndLoad()
    try require(waitingCount == 0, "every request is answered: \(waitingCount) are not")
    try require(hub.inventory.connections == 0, "no connection is left")
    for (id, stored) in log.stored where !stored.hasEnded {
      guard let session = hub.session(id) else { continue }
      try compare(session.fold, with: stored)
    }
    // Some sessions are loaded first, and their members are offline from then on.
    for _ in 0..<4 {
      pass(limits.memberMilliseconds)
      try storeAndLoad()
    }
    for id in log.stored.keys {
      guard let session = hub.session(id) else { continue }
      try require(session.fold.members.isEmpty, "absent members leave")
    }
    try endSessions()
    if let failure { throw failure }
  }

  /// Deletes the sessions that are in memory; then no memory is counted.
  private func endSessions() throws(FuzzFailure) {
    for created in sessions where hub.session(created.id) != nil {
      let token = (try? JSONTree.parse(created.body))?["tokens"]?["owner"]?.string
      hub.begin(
        { [self] host throws(HubProblem) in
          try await host.delete(created.id, token: token.map { .token($0) }, at: now)
        }, answer: answer())
    }
    try storeAndLoad()
    // Its definitions count, too.
    log.stored = [:]
    let inventory = hub.inventory
    try require(
      inventory.sessions == 0 && inventory.sessionsBytes == 0, "no memory is left: \(inventory)")
  }

  private func storeAndLoad() throws(FuzzFailure) {
    var count = 0
    while !log.late.isEmpty || !log.loads.isEmpty {
      for session in log.late {
        hub.committed(log.confirm(.max, of: session), of: session, at: now)
      }
      finishLoad()
      count += 1
      try require(count < 1_000, "the hub keeps setting timers")
    }
  }

  /// Checks that replaying the log reproduces the state.
  private func compare(_ fold: SessionFold, with stored: FuzzLog.Stored) throws(FuzzFailure) {
    guard var replay = try? SessionFold(stored.origin, limits: limits.session) else {
      throw FuzzFailure("a session that was created can be folded")
    }
    for entry in stored.entries { _ = replay.apply(entry) }
    try require(fold.revision == replay.revision, "a replay has the same revision")
    try require(fold.picker.value == replay.picker.value, "a replay has the same value")
    try require(fold.picker.columns == replay.picker.columns, "a replay has the same columns")
    try require(fold.status == replay.status, "a replay has the same status")
    try require(fold.undoList == replay.undoList, "a replay has the same undo list")
    try require(fold.members == replay.members, "a replay has the same members")
    if let sentence = fold.picker._checkInvariants() { throw FuzzFailure("not true: \(sentence)") }
  }
}
