import PickerSession

/// Records that other nodes have appended to a shared log. The log reports them in log order, so
/// they come before the hub's pending records.
extension Hub {
  /// A record of a session in memory was committed.
  func commit(_ record: CommittedRecord, of hosted: HostedSession, at time: HubTime) {
    switch record {
    case .own: runSteps(of: hosted, storedCount: 1, at: time)
    case .refused: refuseCreation(of: hosted)
    case .foreign(let entry): apply(entry, arrival: nil, nil, in: hosted, at: time)
    case .foreignEnd: endElsewhere(hosted)
    }
  }

  /// The last entry of a session decides which node is responsible for it.
  func noteServing(isHere: Bool, _ hosted: HostedSession) {
    guard hosted.isServedHere != isHere else { return }
    hosted.isServedHere = isHere
    if !isHere { evictSoon(hosted) }
  }

  /// Another session has the external id or the idempotency key of a new session.
  private func refuseCreation(of hosted: HostedSession) {
    guard case .creating = directory[hosted.id] else { return }
    let steps = hosted.steps.takeAll()
    directory.refused(hosted)
    freeState(of: hosted)
    for step in steps {
      if case .created(let completion) = step {
        completion(.refused)
      } else {
        refuse(step, of: hosted)
      }
    }
  }

  /// Another node has ended the session: closes its connections, and refuses its pending steps.
  private func endElsewhere(_ hosted: HostedSession) {
    let steps = hosted.steps.takeAll()
    remove(hosted)
    for step in steps {
      if case .end(let completion) = step {
        completion(true)
      } else {
        refuse(step, of: hosted)
      }
    }
  }
}
