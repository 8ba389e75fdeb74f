import PickerHub
import PickerSession

/// Crashes of the process.
extension World {
  /// Simulates `kill -9`: all connections are lost, and a new process starts with the stored
  /// sessions.
  func crash() {
    node.kill()
    nodes = []
    // Nothing starts while the disk is full.
    database?.isFailing = false
    forgetConnections(of: node)
    seller.lose(requestsTo: node)
    lastTrouble = clock.machine
    clockSetsUnanswered = 0
    for id in Array(replicas.keys) { replicas[id]?.dropNotesRequests() }
    startNode()
    checkNothingIsMissing()
  }

  /// Checks that the log has all revisions that any client has received.
  private func checkNothingIsMissing() {
    for client in clients {
      guard let replica = replicas[client.session.id] else { continue }
      if client.state.revision > replica.fold.revision {
        breach(
          "an acknowledged revision is never lost: client \(client.number) has received "
            + "\(client.state.revision), the log has \(replica.fold.revision)")
      }
    }
  }
}
