/// What this member's own unanswered commands will most likely do; the server's answer replaces it.
extension PickerState {
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
      // What others did is not ours to guess.
      case .undo, .redo, .confirm, .cancel, .reopen: continue
      }
    }
  }

  /// The two-tap rule: an even count of hits starts a range, an odd one ends it within reach.
  ///
  /// - Returns: `nil` when the tap will be refused, or nobody here can tell.
  /// - Source: rules.md, "Two taps".
  private func after(tap day: PickerDay) -> PickerRange? {
    guard status == .open, let definition,
      let cell = months[day.month]?.cells.first(where: { $0.day == day }), !cell.isDisabled
    else { return nil }
    guard let shown = shownRange, isOpen(shown) else {
      return PickerRange(start: day, end: day, hits: (shownRange?.hits ?? 0) + 1, by: me?.id)
    }
    if shown.reach == nil && definition.isBounded { return nil }
    let given = shown.reach.map { min(max(day, $0.lowerBound), $0.upperBound) } ?? day
    let range = PickerRange(
      start: min(given, shown.start), end: max(given, shown.start), hits: shown.hits + 1,
      by: me?.id)
    return range.dayCount < definition.dayCountMin ? nil : range
  }
}
