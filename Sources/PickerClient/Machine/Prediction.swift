import CivilTime

/// The predicted effect of this member's pending commands, until the server's answer replaces it.
extension PickerState {
  /// Recomputes ``shownRange`` and ``PickerColumn/shownRow`` from the confirmed state and the
  /// pending commands.
  mutating func predict(_ pending: [PendingCommands.Entry]) {
    pendingCount = pending.count
    shownRange = range
    for index in columns.indices { columns[index].shownRow = columns[index].row }
    for entry in pending {
      switch entry.command {
      case .select(let column, let row, let generation, let key):
        guard columns.indices.contains(column) else { continue }
        if generation == columns[column].generation {
          if (0..<columns[column].count).contains(row) { columns[column].shownRow = row }
        } else if let row = key.flatMap(columns[column].row(ofKey:)) {
          columns[column].shownRow = row
        }
      case .tap(let day): shownRange = after(tap: day) ?? shownRange
      case .clear: shownRange = nil
      // Not predicted: the effect depends on commands of others.
      case .undo, .redo, .confirm, .cancel, .reopen: continue
      }
    }
  }

  /// The range after a tap of this member, clamped to the reach that the server sent.
  ///
  /// - Returns: `nil` if the server will refuse the tap, or the result cannot be predicted.
  private func after(tap day: PickerDay) -> PickerRange? {
    guard status == .open, let definition,
      let cell = months[day.month]?.cells.first(where: { $0.day == day }), !cell.isDisabled
    else { return nil }
    let rule = definition.twoTapRule
    guard let shown = shownRange, isOpen(shown) else {
      return PickerRange(rule.begun(at: day.civil, after: shownRange?.civil), by: me?.id)
    }
    if shown.reach == nil {
      if definition.isBounded { return nil }
      if definition.stopsAtDisabledDays, hasDisabledDay(between: shown.start, and: day) {
        return nil
      }
    }
    let stop = shown.reach.map { min(max(day, $0.lowerBound), $0.upperBound) } ?? day
    let ended = rule.ended(shown.civil, at: stop.civil)
    return rule.allows(ended) ? PickerRange(ended, by: me?.id) : nil
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
