import CivilTime
package import PickerSession
import PickerWire

/// Entries between two snapshots of a session.
private let snapshotInterval = 500

/// The way of everything that changes a session: appended to the log, applied when the log has it,
/// told when it is applied. What only looks keeps its place behind what waits for the log.
extension Hub {
  /// Appends an entry, and applies it as soon as the log has it.
  func append(_ body: LogEntry.Body, to hosted: HostedSession, at time: HubTime) {
    let entry = LogEntry(at: time.session, body: body)
    guard entry.isKept else { return enqueue(.apply(entry), in: hosted, at: time) }
    switch log.append(.entry(entry), of: hosted.id) {
    case .stored where hosted.steps.isEmpty: run(.apply(entry), in: hosted, at: time)
    case .stored, .pending:
      hosted.steps.append(.apply(entry))
      if entry.body == .tick { pendingTickCount += 1 }
    case .failed: fail(hosted)
    }
  }

  /// Does something in its turn: now, unless something before it waits for the log.
  func enqueue(_ step: HostedSession.Step, in hosted: HostedSession, at time: HubTime) {
    if hosted.isLost {
      refuse(step)
    } else if hosted.steps.isEmpty {
      run(step, in: hosted, at: time)
    } else {
      hosted.steps.append(step)
    }
  }

  /// The log has the next `count` records of a session.
  package func stored(_ count: Int, of session: SessionID, at time: HubTime) {
    now = time
    guard let hosted = sessions[session] else {
      endingDormant[session] = nil
      return
    }
    var storedCount = count
    while let step = hosted.steps.first {
      if step.waitsForLog {
        guard storedCount > 0 else { return }
        storedCount -= 1
      }
      hosted.steps.removeFirst()
      if step.isTick { pendingTickCount -= 1 }
      run(step, in: hosted, at: time)
    }
  }

  private func run(_ step: HostedSession.Step, in hosted: HostedSession, at time: HubTime) {
    switch step {
    case .apply(let entry): apply(entry, in: hosted, at: time)
    case .attach(let connection, let attachment):
      if !hosted.isEnding { attach(connection, attachment, in: hosted, at: time) }
    case .look(let body): if !hosted.isEnding { body(hosted) }
    case .request(let body): body(hosted.isEnding ? nil : hosted)
    case .created(let completion): completion(true)
    case .end(let completion):
      remove(hosted)
      completion(true)
    }
  }

  /// Answers what cannot be done because its session has been let go.
  func refuse(_ step: HostedSession.Step) {
    switch step {
    case .attach(let connection, _):
      close(connection, .unavailable, "the server cannot store anything now; come back later")
    case .created(let completion), .end(let completion): completion(false)
    case .request(let body): body(nil)
    case .apply, .look: break
    }
  }

  private func apply(_ entry: LogEntry, in hosted: HostedSession, at time: HubTime) {
    let before = hosted.session.fold.revision
    let effects = hosted.session.apply(entry)
    if entry.isKept { hosted.entryCount += 1 }
    if hosted.session.fold.revision != before { hosted.lastActivity = time.machine }
    if case .left(let member) = entry.body {
      hosted.absentSince[member] = nil
      hosted.memberCountPromised = max(0, hosted.memberCountPromised - 1)
    }
    if hosted.isEnding { return }
    perform(effects, in: hosted, at: time)
    queueTick(of: hosted)
    if entry.isKept && hosted.entryCount.isMultiple(of: snapshotInterval) {
      keepSnapshot(of: hosted, isIdle: false)
    }
    if case .left = entry.body { letGo(hosted) }
  }

  /// The log cannot keep what was asked: nothing of it is done, and whoever listens comes back later.
  func fail(_ hosted: HostedSession) {
    if log.canLoad { return lose(hosted) }
    for listener in hosted.session.listeners {
      guard let connection = connections[listener.connection] else { continue }
      close(connection, .unavailable, "the server cannot store anything now; come back later")
    }
  }

  /// Puts the session's next instant into the queue, if it is not there already.
  func queueTick(of hosted: HostedSession) {
    if hosted.isLost { return }
    guard let next = hosted.session.fold.nextTick else {
      hosted.queuedTick = nil
      return
    }
    if let queued = hosted.queuedTick, queued <= next { return }
    hosted.queuedTick = next
    ticks.add(hosted.id, at: next)
  }
}
