import CivilTime
import JSONText
import PickerClient

/// Random commands, mostly valid ones.
extension World {
  func giveCommand(_ client: SimulatedClient) {
    give(.command(randomCommand(client)), to: client)
    // Reopen soon, because little happens in a confirmed session.
    if client.state.status != .open, random.coin() { give(.command(.reopen), to: client) }
  }

  private func randomCommand(_ client: SimulatedClient) -> PickerCommand {
    let isCalendar = random.once(in: 30) ? !client.session.isCalendar : client.session.isCalendar
    switch random.below(24) {
    case 0..<15: return isCalendar ? randomTap(client) : randomSelect(client)
    case 15: return .clear
    case 16, 17, 18: return .undo
    case 19, 20: return .redo
    case 21: return .confirm
    case 22: return random.once(in: 3) ? .cancel : .confirm
    default: return random.coin() ? .reopen : .undo
    }
  }

  private func randomSelect(_ client: SimulatedClient) -> PickerCommand {
    let columns = client.state.columns
    let index =
      columns.isEmpty || random.once(in: 20) ? random.within(-1...4) : random.below(columns.count)
    var row = random.within(0...3)
    var generation = 1
    var key: String?
    if columns.indices.contains(index) {
      let column = columns[index]
      generation = column.generation
      if column.count > 0 { row = random.below(column.count) }
      if random.coin() { row = min(row, 2) }
      key = column[row]?.key
    }
    if random.once(in: 6) { generation -= random.within(1...2) }
    if random.once(in: 25) { row = random.pick([-1, 1_000_000, Int.max]) }
    return .select(column: index, row: row, generation: generation, key: key)
  }

  private func randomTap(_ client: SimulatedClient) -> PickerCommand {
    let month = randomMonth(client)
    return .tap(PickerDay(year: month.year, month: month.month, day: random.within(1...28))!)
  }

  /// A month near today or near an end of the list; mostly within the list.
  func randomMonth(_ client: SimulatedClient) -> CivilMonth {
    let today = CivilDate(iso: clock.session.rfc3339.utf8.prefix(10))!.civilMonth
    guard let list = client.state.monthList, random.coin() else {
      return today.adding(months: random.within(-2...2)) ?? today
    }
    let end = random.coin() ? list.first.civil : list.last.civil
    return end.adding(months: random.within(-1...1)) ?? end
  }

  func look(_ client: SimulatedClient) {
    let from = PickerMonth(randomMonth(client))
    let count = random.within(1...4)
    // The machine does not request the same months again.
    if client.isViewUnknown {
      give(.look(from: from.adding(months: 1) ?? from, count: 1), to: client)
    }
    give(.look(from: from, count: count), to: client)
  }

  func want(_ client: SimulatedClient) {
    let first = random.pick([-5, 0, 3, 90, 650])
    // Each window is a message, so limit their number.
    let count = min(random.pick([0, 1, 30, 300]), client.state.limits.windowRows * 4)
    give(.want(column: random.within(0...3), rows: first...(first + count)), to: client)
  }

  func touch(_ client: SimulatedClient) {
    let isCalendar = random.once(in: 20) ? !client.session.isCalendar : client.session.isCalendar
    if random.once(in: 3) {
      give(.touch(nil), to: client)
    } else if isCalendar {
      give(.touch(.day(PickerDay(randomMonth(client).first))), to: client)
    } else {
      give(
        .touch(.row(column: random.within(0...2), row: random.within(-1...3))), to: client)
    }
  }
}
