import JSONText

/// Applies the messages of the server to the state.
extension PickerState {
  mutating func takeWelcome(_ message: JSONTree) throws(MalformedMessage) {
    let member = try message.need("member")
    let me = try PickerMember(member, isOnline: true)
    let snapshot = message["snapshot"].flatMap { $0.isNull ? nil : $0 }
    let members = try PickerMember.list(message["members"]?.array ?? [])
    self.me = me
    epoch = try message.text("epoch")
    limits.months = message["limits"]?["months"]?.integer ?? limits.months
    limits.windowRows = max(1, message["limits"]?["windowRows"]?.integer ?? limits.windowRows)
    now = message["now"]?.string ?? now
    locale = try message.text("locale")
    (touching, hovering) = ([:], [])
    if let snapshot {
      revision = try message.number("revision")
      try apply(snapshot)
    }
    apply(members)
  }

  /// Applies a `snapshot`, which replaces the whole state.
  mutating func takeSnapshot(_ message: JSONTree) throws(MalformedMessage) {
    revision = try message.number("revision")
    now = message["now"]?.string ?? now
    try apply(try message.need("snapshot"))
    // The server has dropped pending presence updates. It sends the current touches next.
    (touching, hovering) = ([:], [])
    if let status = message["status"]?.string.flatMap(PickerStatus.init) { self.status = status }
    apply(try PickerMember.list(message["members"]?.array ?? []))
  }

  /// Applies a delta. The caller has checked that it follows ``revision``.
  mutating func applyDelta(_ message: JSONTree) throws(MalformedMessage) -> [PickerNotice] {
    revision = try message.number("revision")
    now = message["at"]?.string ?? now
    let host = message["host"] == .bool(true) ? PickerNotice.host : nil
    return try apply(
      changes: try message.list("changes"), by: message["by"]?.string ?? host)
  }

  mutating func applyMonths(_ message: JSONTree) throws(MalformedMessage) {
    for tree in try message.list("months") {
      let view = try PickerMonthView(tree)
      months[view.month] = view
    }
  }

  /// Stores requested rows, unless the column has been reloaded since the request.
  mutating func applyRows(_ message: JSONTree) throws(MalformedMessage) {
    let column = try message.number("column")
    guard columns.indices.contains(column),
      columns[column].generation == (try message.number("generation"))
    else { return }
    var rows: [PickerRow] = []
    for tree in try message.list("rows") { rows.append(try PickerRow(tree)) }
    columns[column].put(rows, from: try message.number("from"))
  }

  mutating func takePresence(_ message: JSONTree) throws(MalformedMessage) -> [PickerNotice] {
    var notices: [PickerNotice] = []
    for member in try PickerMember.list(message["joined"]?.array ?? []) {
      if put(member) == nil { notices.append(.joined(member)) }
    }
    for member in try PickerMember.list(message["changed"]?.array ?? []) {
      let before = put(member)
      if !member.isOnline { lift(member.id) }
      guard let before else { continue }
      if before.isOnline && !member.isOnline { notices.append(.wentOffline(member)) }
      if !before.isOnline && member.isOnline { notices.append(.cameBack(member)) }
      if before.role != member.role { notices.append(.promoted(member)) }
      if before.name != member.name { notices.append(.renamed(member, before: before.name)) }
    }
    for id in (message["left"]?.array ?? []).compactMap(\.string) {
      lift(id)
      guard let index = members.firstIndex(where: { $0.id == id }) else { continue }
      let member = members.remove(at: index)
      notices.append(.left(member))
    }
    for touch in message["touching"]?.array ?? [] {
      let id = try touch.text("member")
      lift(id)
      touching[id] = Self.touch(touch)
      if touching[id] != nil, touch.flag("hover") { hovering.insert(id) }
    }
    return notices
  }

  private mutating func lift(_ id: String) {
    touching[id] = nil
    hovering.remove(id)
  }

  /// Changes this member's own name.
  mutating func renameMe(_ name: String) {
    me?.name = name
    if let me, let index = members.firstIndex(where: { $0.id == me.id }) {
      members[index].name = name
    }
    if let me { availability?.rename(me) }
  }

  private static func touch(_ tree: JSONTree) -> PickerTouch? {
    if let column = tree["column"]?.integer, let row = tree["row"]?.integer {
      return .row(column: column, row: row)
    }
    return tree["date"]?.string.flatMap { PickerDay($0) }.map { .day($0) }
  }

  /// Adds or replaces a member.
  ///
  /// - Returns: The member before; `nil` if it is new.
  private mutating func put(_ member: PickerMember) -> PickerMember? {
    if member.id == me?.id { me = member }
    availability?.rename(member)
    guard let index = members.firstIndex(where: { $0.id == member.id }) else {
      members.append(member)
      return nil
    }
    let before = members[index]
    members[index] = member
    return before
  }

  private mutating func apply(_ snapshot: JSONTree) throws(MalformedMessage) {
    definition = try PickerDefinition(try snapshot.need("definition"))
    status = snapshot["status"]?.string.flatMap(PickerStatus.init) ?? .open
    until = snapshot["until"]?.string
    isReopenedByHost = snapshot["reopen"]?.string == "host"
    applyResult(snapshot["result"] ?? .null)
    columns = []
    for tree in snapshot["columns"]?.array ?? [] { columns.append(try PickerColumn(tree)) }
    months = [:]
    monthList = nil
    weekdays = snapshot["calendar"]?["weekdays"]?.array?.compactMap(\.string)
    range = nil
    availability = nil
    if let cells = snapshot["availability"] { availability = try PickerAvailability(cells) }
    if let calendar = snapshot["calendar"] {
      monthList = try PickerMonths(try calendar.need("months"))
      range = try PickerRange.read(calendar["range"] ?? .null)
    }
  }

  mutating func applyResult(_ tree: JSONTree) {
    result = PickerResult(tree)
    resultInstant = tree["instant"]?.string
    resultUntil = tree["until"]?.string
    resultTotal = PickerTotal(tree["total"])
    resultCounts = try? PickerGradeCounts(tree)
  }

  private mutating func apply(_ members: [PickerMember]) {
    guard !members.isEmpty else { return }
    self.members = members
    let ids = Set(members.map(\.id))
    touching = touching.filter { ids.contains($0.key) }
    hovering.formIntersection(ids)
    if let mine = member(me?.id) { me = mine }
  }
}
