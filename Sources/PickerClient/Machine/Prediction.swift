import CivilTime

/// The predicted effect of this member's pending commands, until the server's answer replaces it.
extension PickerState {
  /// Recomputes ``shownRange``, ``shownHits`` and ``PickerColumn/shownRow`` from the confirmed
  /// state and the pending commands.
  mutating func predict(_ pending: [PendingCommands.Entry]) {
    pendingCount = pending.count
    shownRange = range
    shownHits = range?.hits ?? 0
    for index in columns.indices { columns[index].shownRow = columns[index].row }
    availability?.predict(pending, of: me?.id)
    for entry in pending {
      switch entry.command {
      case .select(let column, let row, let generation, let key):
        guard columns.indices.contains(column) else { continue }
        if generation == columns[column].generation {
          if (0..<columns[column].count).contains(row) { columns[column].shownRow = row }
        } else if let row = key.flatMap(columns[column].row(ofKey:)) {
          columns[column].shownRow = row
        }
      case .tap(let day):
        switch after(tap: day) {
        case .range(let range):
          shownRange = range
          shownHits += 1
        case .unknown: shownHits += 1
        case .refused: continue
        }
      case .set(let value): predict(value)
      case .clear:
        shownRange = nil
        shownHits = 0
      // Not predicted: the effect depends on commands of others.
      case .undo, .redo, .confirm, .confirmWindow, .cancel, .reopen, .rename, .mark, .units, .hold,
        .release, .wait:
        continue
      }
    }
  }

  /// Shows a whole value, unless this client knows that the server will refuse it.
  private mutating func predict(_ value: PickerValue) {
    guard status == .open else { return }
    if isCalendar {
      guard let range = after(set: value), !isChosen(range) else { return }
      shownRange = range
      shownHits = range.hits
    } else if let keys = value.rowKeys {
      for (index, key) in zip(columns.indices, keys) {
        guard let row = columns[index].row(ofKey: key) else { return }
        columns[index].shownRow = row
      }
    }
  }

  /// Whether a range already stands, so that the server answers with a reply.
  private func isChosen(_ range: PickerRange) -> Bool {
    guard let shown = shownRange, !isOpen(shown) else { return false }
    return (shown.start, shown.end) == (range.start, range.end)
  }

  /// The range of a whole value; `nil` if the server will refuse it, because taps on an empty
  /// calendar would be refused or clamped.
  private func after(set value: PickerValue) -> PickerRange? {
    let days: [PickerDay]
    switch value {
    case .day(let day): days = [day]
    case .range(let start, let end): days = [start, end]
    case .local, .instant, .keys: return nil
    }
    guard let definition, definition.isSingle == (days.count == 1) else { return nil }
    let whole = PickerRange(
      start: days.min()!, end: days.max()!, hits: days.count, by: me?.id)
    if !definition.isNights, definition.stopsAtDisabledDays,
      hasDisabledDay(between: whole.start, and: whole.end)
    {
      return nil
    }
    var walk = self
    walk.shownRange = nil
    for day in days {
      switch walk.after(tap: day) {
      case .range(let range): walk.shownRange = range
      case .unknown: return whole
      case .refused: return nil
      }
    }
    return walk.shownRange == whole ? whole : nil
  }

  private enum TapOutcome {
    case range(PickerRange)
    /// The server accepts the tap, or refuses it for a reason that this client does not know.
    case unknown
    case refused
  }

  /// The range after a tap of this member, clamped to the reach that the server sent.
  private func after(tap day: PickerDay) -> TapOutcome {
    guard status == .open else { return .refused }
    guard let definition, let cell = months[day.month]?.cells.first(where: { $0.day == day })
    else { return .unknown }
    let rule = definition.twoTapRule
    if definition.isNights, let shown = shownRange, isOpen(shown) {
      return after(tap: day, ending: shown, definition)
    }
    if cell.isDisabled { return .refused }
    guard let shown = shownRange, isOpen(shown) else {
      return .range(PickerRange(rule.begun(at: day.civil, after: shownRange?.civil), by: me?.id))
    }
    if shown.reach == nil {
      if definition.isBounded { return .unknown }
      if definition.stopsAtDisabledDays, hasDisabledDay(between: shown.start, and: day) {
        return .unknown
      }
    }
    let stop = shown.reach.map { min(max(day, $0.lowerBound), $0.upperBound) } ?? day
    let ended = rule.ended(shown.civil, at: stop.civil)
    return rule.allows(ended) ? .range(PickerRange(ended, by: me?.id)) : .refused
  }

  /// The stay after a second tap.
  private func after(
    tap day: PickerDay, ending stay: PickerRange, _ definition: PickerDefinition
  ) -> TapOutcome {
    let rules = definition.stayRules
    guard let days = self.stay(from: stay.start, reach: stay.reach, tapped: day, rules) else {
      return .refused
    }
    return .range(
      PickerRange(
        start: days.lowerBound, end: days.upperBound, hits: stay.hits + 1, by: me?.id))
  }

  /// Whether a day between two others cannot be picked. Days of months out of view are unknown, and
  /// count as free.
  private func hasDisabledDay(between day: PickerDay, and other: PickerDay) -> Bool {
    let span = min(day, other)...max(day, other)
    return months.values.contains { month in
      month.cells.contains { $0.isDisabled && !$0.isOutside && span.contains($0.day) }
    }
  }
}
