import JSONText

// The objects of the protocol, decoded from JSON.

extension PickerRow {
  init(_ tree: JSONTree) throws(MalformedMessage) {
    self.init(
      key: try tree.text("key"), text: try tree.text("text"), note: PickerNote(tree["note"]),
      level: PickerLevel(tree))
  }
}

extension PickerColumn {
  /// Decodes a column of a snapshot or a reload.
  init(_ tree: JSONTree) throws(MalformedMessage) {
    generation = try tree.number("generation")
    count = try tree.number("count")
    row = tree["row"]?.integer
    shownRow = row
    rows = [:]
    put(try tree.list("rows").map(PickerRow.init(_:)), from: try tree.number("from"))
  }
}

extension PickerRange {
  /// Decodes a range; `nil` if none is selected, in which case `start` is null.
  static func read(_ tree: JSONTree) throws(MalformedMessage) -> PickerRange? {
    if tree.isNull || tree["start"]?.isNull ?? true { return nil }
    var range = PickerRange(
      start: try tree.day("start"), end: try tree.day("end"), hits: try tree.number("hits"),
      by: tree["by"]?.string)
    if let reach = tree["reach"] {
      let from = try reach.day("from")
      range.reach = from...max(from, try reach.day("through"))
    }
    return range
  }
}

extension PickerBand {
  init(_ tree: JSONTree) throws(MalformedMessage) {
    row = try tree.number("row")
    from = try tree.number("from")
    to = try tree.number("to")
    isHead = tree.flag("head")
    isTail = tree.flag("tail")
  }
}

extension PickerMonthView {
  init(_ tree: JSONTree) throws(MalformedMessage) {
    month = try tree.month("month")
    title = try tree.text("title")
    cells = try tree.list("cells").map { cell throws(MalformedMessage) in
      PickerCell(
        day: try cell.day("date"), text: try cell.text("text"), isOutside: cell.flag("outside"),
        isDisabled: cell.flag("disabled"), isToday: cell.flag("today"),
        only: cell["only"]?.string.flatMap(PickerCell.Turnover.init),
        level: PickerLevel(cell), note: PickerNote(cell["note"]))
    }
    bands = try tree.list("bands").map(PickerBand.init(_:))
  }
}

extension PickerMonths {
  init(_ tree: JSONTree) throws(MalformedMessage) {
    first = try tree.month("first")
    last = try tree.month("last")
  }
}

extension PickerMember {
  /// Decodes a member. An unknown role of a newer server counts as viewer.
  init(_ tree: JSONTree, isOnline: Bool? = nil) throws(MalformedMessage) {
    id = try tree.text("id")
    name = try tree.text("name")
    role = PickerRole(rawValue: try tree.text("role")) ?? .viewer
    color = try tree.text("color")
    self.isOnline = isOnline ?? tree.flag("online")
  }

  static func list(_ trees: [JSONTree]) throws(MalformedMessage) -> [PickerMember] {
    try trees.map { tree throws(MalformedMessage) in try PickerMember(tree) }
  }
}

extension RefusalParams {
  init(_ tree: JSONTree) { self.init(revision: tree["revision"]?.integer, by: tree["by"]?.string) }
}

extension PickerResult {
  /// Decodes a result; `nil` for null and for an unknown form of a newer server.
  init?(_ tree: JSONTree) {
    if let date = tree["date"]?.string.flatMap({ PickerDay($0) }) {
      self = .day(date)
    } else if let local = tree["local"]?.string {
      self = .slot(local: local)
    } else if let keys = tree["keys"]?.array {
      self = .keys(keys.compactMap(\.string))
    } else if let start = tree["start"]?.string.flatMap({ PickerDay($0) }),
      let end = tree["end"]?.string.flatMap({ PickerDay($0) })
    {
      self = tree["nights"] == nil ? .days(start, through: end) : .nights(start, until: end)
    } else {
      return nil
    }
  }
}

extension PickerDefinition {
  init(_ tree: JSONTree) throws(MalformedMessage) {
    kind = try tree.text("kind")
    timeZone = tree["timeZone"]?.string ?? "UTC"
    locale = tree["locale"]?.string ?? "en"
    let weekday = tree["firstWeekday"]?.integer ?? 1
    firstWeekday = (1...7).contains(weekday) ? weekday : 1
    hasSixWeeks = tree["weeks"]?.string != "fit"
    isSingle = tree["selection"]?.string == "single"
    dayCountMin = tree["minDays"]?.integer ?? 1
    isNights = tree["unit"]?.string == "nights"
    stayRules = PickerStayRules(tree)
    stopsAtDisabledDays = !tree.flag("allowBlockedInside")
    let isBlocked = tree["blocked"]?.array?.isEmpty == false && stopsAtDisabledDays
    isBounded = tree["maxDays"]?.integer != nil || isBlocked
    windowLength = tree["length"]?.integer ?? 1
    hasMaybe = tree["maybe"]?.bool ?? true
    json = String(decoding: tree.serialized(), as: UTF8.self)
  }
}
