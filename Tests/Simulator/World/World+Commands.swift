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
    if client.session.isAvailability, !random.once(in: 30) { return randomMark(client) }
    if profile.sells, !random.once(in: 8) { return randomTaking(client) }
    let isCalendar = random.once(in: 30) ? !client.session.isCalendar : client.session.isCalendar
    switch random.below(24) {
    case 0..<13: return isCalendar ? randomTap(client) : randomSelect(client)
    case 13, 14: return randomSet(client)
    case 15: return .clear
    case 16, 17, 18: return .undo
    case 19, 20: return .redo
    case 21: return .confirm
    case 22: return random.once(in: 3) ? .cancel : .confirm
    default: return random.coin() ? .reopen : .undo
    }
  }

  /// A value of the picker's kind, mostly one of rows that the client sees.
  private func randomSet(_ client: SimulatedClient) -> PickerCommand {
    let keys = client.state.columns.compactMap { column in
      column.count > 0 ? column[random.below(column.count)]?.key : nil
    }
    let days = [randomDay(client), randomDay(client)].sorted { $0.iso < $1.iso }
    switch client.state.result {
    case .slot(let local):
      return .set(.local(keys.count == 3 ? "\(keys[0])T\(keys[1]):\(keys[2])" : local))
    case .keys: return .set(.keys(keys))
    case .day where !keys.isEmpty:
      return .set(.day(PickerDay(keys.joined(separator: "-")) ?? days[0]))
    case .day: return .set(.day(days[0]))
    case .days, .nights, nil: return .set(.range(days[0], days[1]))
    }
  }

  private func randomDay(_ client: SimulatedClient) -> PickerDay {
    let month = randomMonth(client)
    return PickerDay(year: month.year, month: month.month, day: random.within(1...28))!
  }

  private func randomMark(_ client: SimulatedClient) -> PickerCommand {
    let count = client.state.availability?.count ?? 0
    var generation = client.state.availability?.generation ?? 1
    if random.once(in: 20) { generation += random.pick([-1, 1]) }
    switch random.below(24) {
    case 0..<18: break
    case 18: return .clear
    case 19: return .confirm
    case 20: return .confirmWindow(cell: random.within(-1...count), generation: generation)
    case 21: return random.once(in: 3) ? .cancel : .reopen
    default: return random.once(in: 4) ? .undo : .reopen
    }
    var runs: [Range<Int>] = []
    // Mostly cells that are not past.
    let past = client.state.availability?.past ?? 0
    var next = random.below(max(1, count)) / (random.coin() ? 1 : 4)
    if !random.once(in: 8) { next = max(next, past) }
    for _ in 0..<random.pick([1, 1, 2, 5, 64]) {
      let end = next + random.within(1...6)
      guard runs.isEmpty || end <= count || random.once(in: 40) else { break }
      runs.append(next..<(random.once(in: 40) ? end : max(next + 1, min(end, count))))
      next = runs[runs.count - 1].upperBound + random.below(4)
    }
    return .mark(
      random.pick([.yes, .yes, .maybe, .no, nil]), cells: runs, generation: generation)
  }

  func randomSelect(_ client: SimulatedClient) -> PickerCommand {
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
    .tap(randomDay(client))
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

  func find(_ client: SimulatedClient) {
    let text = random.pick(["1", "2", "a", "an", "row", "É", "ﬁ", "ᾳ", "\u{301}", "🙂", "日"])
    give(.find(text, column: random.within(0...3), limit: random.within(1...3)), to: client)
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
