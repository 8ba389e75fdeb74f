import JSONText

/// Messages from the server.
extension ClientMachine {
  /// The host's own values have up to 127 levels, a few levels below the message.
  private static let depthMax = 160

  mutating func receive(_ bytes: [UInt8]) {
    guard state.connection == .joining || state.connection == .live else { return }
    let before = state
    do {
      let message = try JSONTree.parse(bytes, depthMax: ClientMachine.depthMax)
      try take(message, type: try message.text("type"))
      if state.connection == .live {
        timers.clear(.probe)
        start(.quiet)
      }
    } catch {
      // An unreadable message can have been a delta. Discard its partial effects and resume before
      // it.
      state = before
      resync()
    }
  }

  private mutating func take(_ message: JSONTree, type: String) throws {
    switch type {
    case "error":
      state.problem = PickerProblem(
        code: try message.text("code"), detail: message["detail"]?.string ?? "")
      hasChanged = true
      return
    case "draining":
      drainMilliseconds = max(0, Int64(message["reconnectAfterMs"]?.integer ?? 0))
      return
    case "welcome": if state.connection == .joining { try welcome(message) }
    default:
      guard state.connection == .live else { return }
      try takeUpdates(message, type: type)
    }
    hasChanged = true
  }

  private mutating func takeUpdates(_ message: JSONTree, type: String) throws {
    switch type {
    case "delta": try delta(message)
    case "reply":
      let revision = try message.number("revision")
      answered(try message.number("ref"), .success(revision))
      // The reply is ahead of this client, so the server has replaced the missing deltas by a
      // snapshot, which must follow.
      if revision > state.revision { start(.catchUp) }
    case "refused": try refused(message)
    case "snapshot":
      try state.takeSnapshot(message)
      asked = []
      timers.clear(.catchUp)
    case "months":
      try state.applyMonths(message)
      state.months = state.months.filter { looking?.contains($0.key) ?? false }
    case "rows":
      try state.applyRows(message)
      asked.remove(
        RowWindow(
          column: try message.number("column"), generation: try message.number("generation"),
          from: try message.number("from")))
    case "presence": notify(try state.takePresence(message))
    case "token": noteLifetime(message)
    default: break  // A message of a newer server, which clients may ignore.
    }
  }

  private mutating func welcome(_ message: JSONTree) throws {
    let isSame = identity != nil && identity?.member == message["member"]?["id"]?.string
    let known = message["ref"]?.integer ?? 0
    // Another device of the same member may have used the refs of commands that were sent.
    let areCertain = isSame && known <= pending.greatestSent
    let hadEpoch = state.epoch
    try state.takeWelcome(message)
    // Revisions of another epoch are those of another history.
    let isOtherHistory = hadEpoch != nil && hadEpoch != state.epoch
    let uncertain = pending.take { entry in
      entry.isSent && (!areCertain || isOtherHistory && entry.command.hasRevision)
    }
    let outdated = pending.take { isOtherHistory && $0.command.hasRevision }
    pending.startAfter(known)
    identity = ClientIdentity(
      member: try message.need("member").text("id"),
      secret: try message.need("member").text("secret"), epoch: try message.text("epoch"),
      ref: pending.ref)
    timers.clear(.join)
    start(.steady)
    asked = []
    waitingTouch = nil
    enter(.live)
    for entry in uncertain {
      effects.append(.settled(ref: entry.ref, .failure(.lost)))
      effects.append(.notice(.lost(entry.command)))
    }
    for entry in outdated { refuseOutdated(entry) }
    joined(message["token"])
    pending.see { before in
      state.predict(before)
      return SeenValue(revision: state.revision, hits: state.shownHits)
    }
    for entry in pending.entries { send(entry, isLate: true) }
    if !pending.entries.isEmpty { start(.answer) }
    if let looking, looking != joinedLooking { sendLook(looking) }
  }

  private mutating func delta(_ message: JSONTree) throws {
    let revision = try message.number("revision")
    if revision > state.revision {
      guard revision == state.revision + 1 else { return resync() }
      let notices = try state.applyDelta(message)
      timers.clear(.catchUp)
      notify(notices)
    }
    if let ref = message["ref"]?.integer { answered(ref, .success(revision)) }
  }

  private mutating func refused(_ message: JSONTree) throws {
    let code = RefusalCode(rawValue: try message.text("code"))
    let detail = message["detail"]?.string ?? ""
    let ref = message["ref"]?.integer
    let isHeld = code == .tooMany && ref.map { pending.hold($0) } ?? false
    if isHeld || (ref == nil && code == .tooMany) { start(.look) }
    // Of rows or months, which the user does not know of.
    guard let ref else { return }
    if isHeld {
      awaitNext()
      _ = try state.apply(changes: message["changes"]?.array ?? [], by: nil)
      return
    }
    let params = RefusalParams(message["params"] ?? .null)
    let command = answered(ref, .failure(.refused(code, detail: detail, params: params)))
    _ = try state.apply(changes: message["changes"]?.array ?? [], by: nil)
    notify([.refused(code: code, detail: detail, params: params, command: command)])
  }

  /// Refuses a command about the history of another epoch, which was not sent.
  mutating func refuseOutdated(_ entry: PendingCommands.Entry) {
    let detail = "the history that the command refers to is lost"
    effects.append(.settled(ref: entry.ref, .failure(.refused(.stale, detail: detail))))
    notify([.refused(code: .stale, detail: detail, command: entry.command)])
  }

  @discardableResult
  private mutating func answered(_ ref: Int, _ outcome: Result<Int, PickerFailure>)
    -> PickerCommand?
  {
    guard let entry = pending.answered(ref) else { return nil }
    effects.append(.settled(ref: entry.ref, outcome))
    awaitNext()
    if case (.rename(let name), .success) = (entry.command, outcome) {
      // The server does not send a member its own name. Another member joins with it, too, if the
      // server forgets this one.
      state.renameMe(name)
      profile.name = name
    }
    return entry.command
  }

  /// There was an answer: the time for the next one begins.
  private mutating func awaitNext() {
    if pending.isWaiting { start(.answer) } else { timers.clear(.answer) }
  }

  /// - Parameter isLate: Whether the command is sent again, or was given without a connection.
  mutating func send(_ entry: PendingCommands.Entry, isLate: Bool) {
    guard let seen = entry.seen else { return }
    pending.sent(entry.ref)
    effects.append(
      .send(entry.command.message(ref: entry.sentAs, seen: seen, isLate: isLate)))
  }

  private mutating func notify(_ notices: [PickerNotice]) {
    effects += notices.map { .notice($0) }
  }
}
