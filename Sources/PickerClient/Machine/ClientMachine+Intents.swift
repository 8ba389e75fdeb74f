import JSONText

/// Events from the app: commands, months and rows in view, touches.
extension ClientMachine {
  /// - Parameter seen: The state that the user saw.
  mutating func submit(_ command: PickerCommand, seen: PickerState?) {
    // Before the first welcome the user saw nothing.
    let seen = seen.flatMap { $0.definition == nil ? nil : $0 } ?? state
    let isLive = state.connection == .live
    let isOver: Bool
    switch state.connection {
    case .away, .left: isOver = true
    case .idle, .connecting, .joining, .live, .waiting, .needsCredentials: isOver = false
    }
    let canWait =
      !isOver && command.canWait && pending.entries.count < PendingCommands.waitingMax
    // After commands that were refused with `tooMany`.
    let isHeld = pending.hasUnsent
    let value = SeenValue(revision: seen.revision, hits: seen.shownHits)
    if let replaced = pending.add(command, seen: seen.definition == nil ? nil : value) {
      effects.append(.settled(ref: replaced, .failure(.replaced)))
    }
    hasChanged = true
    guard let entry = pending.entries.last else { return }
    if !command.isValid {
      _ = pending.answered(entry.sentAs)
      let isName = if case .rename = command { true } else { false }
      effects.append(.settled(ref: entry.ref, .failure(isName ? .badName : .badCells)))
    } else if command.hasRevision, seen.epoch != state.epoch {
      _ = pending.answered(entry.sentAs)
      refuseOutdated(entry)
    } else if isLive {
      if isHeld { return }
      send(entry, isLate: seen.connection != .live)
      // Otherwise the timer runs: it must not begin again with each command.
      if pending.entries.count == 1 { start(.answer) }
    } else if !canWait {
      _ = pending.answered(entry.sentAs)
      effects.append(.settled(ref: entry.ref, .failure(.offline)))
    }
  }

  mutating func look(from: PickerMonth, count: Int) {
    let looking = Looking(from: from, count: max(1, min(count, state.limits.months)))
    guard self.looking != looking else { return }
    self.looking = looking
    if state.connection == .live { sendLook(looking) }
  }

  mutating func sendLook(_ looking: Looking) {
    effects.append(
      .send(#"{"type":"months","from":"\#(looking.from.iso)","count":\#(looking.count)}"#))
  }

  /// Sends what was refused with `tooMany` again, and the commands after it.
  mutating func lookAgain() {
    if pending.hasUnsent {
      for entry in pending.entries where !entry.isSent { send(entry, isLate: true) }
      start(.answer)
    }
    asked = []
    if let looking { sendLook(looking) }
  }

  mutating func want(_ rows: ClosedRange<Int>, of column: Int) {
    guard state.connection == .live, state.columns.indices.contains(column) else { return }
    let generation = state.columns[column].generation
    for window in state.columns[column].missing(rows, window: state.limits.windowRows) {
      let name = RowWindow(column: column, generation: generation, from: window.lowerBound)
      guard asked.insert(name).inserted else { continue }
      effects.append(
        .send(
          #"{"type":"rows","column":\#(column),"from":\#(window.lowerBound),"#
            + #""count":\#(window.count)}"#))
    }
  }

  /// Sends a touch, at most one in 100 ms. If several arrive in that time, the last one is sent at
  /// its end.
  mutating func sendTouch(_ touch: Touch) {
    guard state.connection == .live else { return }
    guard !timers.isSet(.touch) else {
      waitingTouch = touch
      return
    }
    let hover = touch.isHover ? #","hover":true"# : ""
    switch touch.position {
    case .row(let column, let row):
      effects.append(.send(#"{"type":"touch","column":\#(column),"row":\#(row)\#(hover)}"#))
    case .day(let day): effects.append(.send(#"{"type":"touch","date":"\#(day.iso)"\#(hover)}"#))
    case nil: effects.append(.send(#"{"type":"touch"}"#))
    }
    start(.touch)
  }
}
