import CivilTime
import JSONText
import PickerClient

/// What people want of a picker: mostly sensible, never only.
extension World {
  func giveCommand(_ client: SimulatedClient) {
    give(.command(randomCommand(client)), to: client)
    // A session that stays confirmed is a dull one.
    if client.state.status != .open, chance.coin() { give(.command(.reopen), to: client) }
  }

  private func randomCommand(_ client: SimulatedClient) -> PickerCommand {
    let isCalendar = chance.once(in: 30) ? !client.session.isCalendar : client.session.isCalendar
    switch chance.below(24) {
    case 0..<15: return isCalendar ? randomTap(client) : randomSelect(client)
    case 15: return .clear
    case 16, 17, 18: return .undo
    case 19, 20: return .redo
    case 21: return .confirm
    case 22: return chance.once(in: 3) ? .cancel : .confirm
    default: return chance.coin() ? .reopen : .undo
    }
  }

  private func randomSelect(_ client: SimulatedClient) -> PickerCommand {
    let columns = client.state.columns
    let index =
      columns.isEmpty || chance.once(in: 20) ? chance.within(-1...4) : chance.below(columns.count)
    var row = chance.within(0...3)
    var generation = 1
    var key: String?
    if columns.indices.contains(index) {
      let column = columns[index]
      generation = column.generation
      if column.count > 0 { row = chance.below(column.count) }
      if chance.coin() { row = min(row, 2) }
      key = column[row]?.key
    }
    if chance.once(in: 6) { generation -= chance.within(1...2) }
    if chance.once(in: 25) { row = chance.pick([-1, 1_000_000, Int.max]) }
    return .select(column: index, row: row, generation: generation, key: key)
  }

  private func randomTap(_ client: SimulatedClient) -> PickerCommand {
    let month = randomMonth(client)
    return .tap(PickerDay(year: month.year, month: month.month, day: chance.within(1...28))!)
  }

  /// A month of the list most of the time, near today or near its ends.
  func randomMonth(_ client: SimulatedClient) -> CivilMonth {
    let today = CivilDate(iso: clock.session.rfc3339.utf8.prefix(10))!.civilMonth
    guard let list = client.state.monthList, chance.coin() else {
      return today.adding(months: chance.within(-2...2)) ?? today
    }
    let end = chance.coin() ? list.first.civil : list.last.civil
    return end.adding(months: chance.within(-1...1)) ?? end
  }

  func look(_ client: SimulatedClient) {
    let from = PickerMonth(randomMonth(client))
    let count = chance.within(1...4)
    // The same months once more would not be asked for.
    if client.isViewUnknown {
      give(.look(from: from.adding(months: 1) ?? from, count: 1), to: client)
    }
    give(.look(from: from, count: count), to: client)
  }

  func want(_ client: SimulatedClient) {
    let first = chance.pick([-5, 0, 3, 90, 650])
    // Every window is a message.
    let count = min(chance.pick([0, 1, 30, 300]), client.state.limits.windowRows * 4)
    give(.want(column: chance.within(0...3), rows: first...(first + count)), to: client)
  }

  func touch(_ client: SimulatedClient) {
    let isCalendar = chance.once(in: 20) ? !client.session.isCalendar : client.session.isCalendar
    if chance.once(in: 3) {
      give(.touch(nil), to: client)
    } else if isCalendar {
      give(.touch(.day(PickerDay(randomMonth(client).first))), to: client)
    } else {
      give(
        .touch(.row(column: chance.within(0...2), row: chance.within(-1...3))), to: client)
    }
  }
}
