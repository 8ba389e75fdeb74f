import CivilTime
import JSONText

/// The messages of somebody who has joined: mostly sensible, never only.
extension World {
  func sendCommand(_ client: SimulatedClient, _ link: Link) {
    let isCalendar = chance.once(in: 30) ? !client.session.isCalendar : client.session.isCalendar
    switch chance.below(24) {
    case 0..<15: isCalendar ? sendTap(client, link) : sendSelect(client, link)
    case 15: send("clear", [], client, link)
    case 16, 17, 18: send("undo", [], client, link)
    case 19, 20: send("redo", [], client, link)
    case 21: send("confirm", [], client, link)
    case 22: send(chance.once(in: 3) ? "cancel" : "confirm", [], client, link)
    default:
      if chance.coin() {
        send("reopen", [], client, link)
      } else {
        send("wish", [.init("column", .integer(1))], client, link)
      }
    }
    // A session that stays confirmed is a dull one.
    if client.fold?.status != "open", chance.coin() { send("reopen", [], client, link) }
  }

  private func send(
    _ type: String, _ fields: [JSONTree.Member], _ client: SimulatedClient, _ link: Link
  ) {
    let ref = client.takeRef()
    let head: [JSONTree.Member] = [.init("type", .string(type)), .init("ref", .integer(ref))]
    let octets = JSONTree.object(head + fields).serialized()
    client.unanswered.append(.init(ref: ref, octets: octets))
    link.expected.append(ref)
    arrive(.text(octets), from: link)
  }

  private func sendSelect(_ client: SimulatedClient, _ link: Link) {
    let columns = client.fold?.columns ?? []
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
      key = column.rows[row]?.key
    }
    if chance.once(in: 6) { generation -= chance.within(1...2) }
    if chance.once(in: 25) { row = chance.pick([-1, 1_000_000, Int.max]) }
    var fields: [JSONTree.Member] = [
      .init("column", .integer(index)), .init("row", .integer(row)),
      .init("generation", .integer(generation)),
    ]
    if let key, !chance.once(in: 4) { fields.append(.init("key", .string(key))) }
    send("select", fields, client, link)
  }

  private func sendTap(_ client: SimulatedClient, _ link: Link) {
    let month = randomMonth(client)
    let date = CivilDate(year: month.year, month: month.month, day: chance.within(1...28))!
    switch chance.below(6) {
    case 0, 1, 2: send("tap", [.init("date", .string(date.iso))], client, link)
    case 3:
      let cell = chance.once(in: 12) ? chance.pick([-1, 42, 99]) : chance.below(42)
      send(
        "tap", [.init("month", .string(month.iso)), .init("cell", .integer(cell))], client, link)
    default:
      let fields: [JSONTree.Member] = [
        .init("month", .string(month.iso)), .init("x", .number(chance.fraction())),
        .init("y", .number(chance.once(in: 10) ? 0.1 : 0.19 + 0.8 * chance.fraction())),
      ]
      send("tap", fields, client, link)
    }
  }

  /// A month of the list most of the time, near today or near its ends.
  func randomMonth(_ client: SimulatedClient) -> CivilMonth {
    let today = CivilDate(iso: clock.session.rfc3339.utf8.prefix(10))!.civilMonth
    guard let list = client.fold?.monthList, list.count == 2, chance.coin(),
      let first = CivilMonth(iso: list[0].utf8), let last = CivilMonth(iso: list[1].utf8)
    else { return today.adding(months: chance.within(-2...2)) ?? today }
    let end = chance.coin() ? first : last
    return end.adding(months: chance.within(-1...1)) ?? end
  }

  struct RandomView {
    let from: String
    let count: Int

    var fields: [JSONTree.Member] {
      [.init("from", .string(from)), .init("count", .integer(count))]
    }
  }

  func randomView(_ client: SimulatedClient) -> RandomView {
    RandomView(
      from: randomMonth(client).iso,
      count: chance.once(in: 15) ? chance.pick([-3, 0, 1_000_000]) : chance.within(1...4))
  }

  func sendView(_ client: SimulatedClient, _ link: Link) {
    let view = randomView(client)
    if client.session.isCalendar { client.view = view }
    link.looseCount += 1
    send(.object([.init("type", .string("months"))] + view.fields), client, link)
  }

  func sendRows(_ client: SimulatedClient, _ link: Link) {
    link.looseCount += 1
    send(
      .object([
        .init("type", .string("rows")), .init("column", .integer(chance.within(0...3))),
        .init("from", .integer(chance.pick([-5, 0, 3, 90, 650, Int.max]))),
        .init("count", .integer(chance.pick([-1, 0, 1, 30, 1000, Int.max]))),
      ]), client, link)
  }

  func sendTouch(_ client: SimulatedClient, _ link: Link) {
    var fields: [JSONTree.Member] = [.init("type", .string("touch"))]
    let isCalendar = chance.once(in: 20) ? !client.session.isCalendar : client.session.isCalendar
    link.looseCount += 1
    if chance.once(in: 3) {
      send(.object(fields), client, link)
      return
    }
    if isCalendar {
      let month = randomMonth(client)
      fields.append(.init("date", .string(month.first.iso)))
    } else {
      fields.append(.init("column", .integer(chance.within(0...2))))
      fields.append(.init("row", .integer(chance.within(-1...3))))
    }
    send(.object(fields), client, link)
  }
}
