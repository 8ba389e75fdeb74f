import PickerSession

extension Hub {
  /// Updates the list of sessions if an entry has changed a session's status.
  func noteStatus(of hosted: HostedSession, before: SessionStatus?) {
    let status = hosted.session.status
    guard status != before else { return }
    // Its definition has waited for the host's decision.
    if before == .confirming { followLater(hosted) }
    shard.names.use { $0.setStatus(status, of: hosted.id) }
  }
}
