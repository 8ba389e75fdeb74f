import PickerClient

/// A request of a key press.
enum KeyRequest: Hashable {
  case command(PickerCommand)
  case touch(PickerTouch?)
  case quit
}

extension Screen {
  /// Handles a key.
  ///
  /// - Returns: The requested actions, in order.
  mutating func press(_ key: Key) -> [KeyRequest] {
    if newName != nil, key != .interrupt { return pressName(key) }
    switch key {
    case .interrupt, .letter("q"): return [.quit]
    case .letter("n"):
      newName = ""
      return []
    case .letter("c"): return [.command(.confirm)]
    case .letter("o"): return [.command(.reopen)]
    // There is no undo.
    case .letter("u") where state.availability == nil: return [.command(.undo)]
    case .letter("r") where state.availability == nil: return [.command(.redo)]
    default: break
    }
    if state.availability != nil { return pressCell(key) }
    let plain = if case .shift(let plain) = key { plain } else { key }
    return state.isCalendar ? pressDay(plain) : pressWheel(plain)
  }

  /// Handles a key while the user types a name.
  private mutating func pressName(_ key: Key) -> [KeyRequest] {
    guard let name = newName else { return [] }
    switch key {
    case .letter(let letter) where name.unicodeScalars.count < 64: newName?.append(letter)
    case .backspace: newName = String(name.dropLast())
    case .escape: newName = nil
    case .enter:
      newName = nil
      return name.isEmpty ? [] : [.command(.rename(name))]
    default: break
    }
    return []
  }

  private mutating func pressWheel(_ key: Key) -> [KeyRequest] {
    guard state.columns.indices.contains(column) else { return [] }
    let wheel = state.columns[column]
    let page = rowsShown - 1
    switch key {
    case .tab, .right, .enter: return focus(column + 1)
    case .backTab, .left: return focus(column - 1)
    case .up: return select(wheel, by: -1)
    case .down: return select(wheel, by: 1)
    case .pageUp: return select(wheel, by: -page)
    case .pageDown: return select(wheel, by: page)
    case .home: return select(wheel, by: -wheel.count)
    case .end: return select(wheel, by: wheel.count)
    case .escape: return [.touch(nil)]
    case .letter, .backspace, .interrupt, .shift: return []
    }
  }

  private mutating func focus(_ next: Int) -> [KeyRequest] {
    column = (next + state.columns.count) % state.columns.count
    guard let row = state.columns[column].shownRow else { return [] }
    return [.touch(.row(column: column, row: row))]
  }

  private func select(_ wheel: PickerColumn, by step: Int) -> [KeyRequest] {
    guard let shown = wheel.shownRow else { return [] }
    let row = max(0, min(wheel.count - 1, shown + step))
    guard row != shown, let command = state.selecting(row: row, column: column) else { return [] }
    return [.touch(.row(column: column, row: row)), .command(command)]
  }

  private mutating func pressDay(_ key: Key) -> [KeyRequest] {
    guard let day, let list = state.monthList else { return [] }
    let next: PickerDay?
    switch key {
    case .enter, .letter(" "): return [.command(.tap(day))]
    case .letter("x"): return [.command(.clear)]
    case .escape: return isRangeOpen ? [.command(.clear)] : [.touch(nil)]
    case .left: next = day.adding(days: -1)
    case .right: next = day.adding(days: 1)
    case .up: next = day.adding(days: -7)
    case .down: next = day.adding(days: 7)
    case .pageUp, .backTab: next = day.adding(months: -1)
    case .pageDown, .tab: next = day.adding(months: 1)
    case .home: next = list.first.first
    case .end: next = list.last.last
    case .letter, .backspace, .interrupt, .shift: return []
    }
    self.day = next ?? day
    showDay(in: list)
    return [.touch(self.day.map { .day($0) })]
  }

  private var isRangeOpen: Bool { state.shownRange.map(state.isOpen) ?? false }
}
