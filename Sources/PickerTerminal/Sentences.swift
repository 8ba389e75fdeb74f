import PickerClient

/// Texts for states and notices.
enum Sentences {
  static func connection(_ state: PickerState) -> String {
    let problem = state.problem.map { " (\($0.detail))" } ?? ""
    switch state.connection {
    case .idle: return "not connected"
    case .connecting, .joining, .waiting:
      if state.isWaitingForToken {
        return "waiting for a token" + (state.problem.map { ": \($0.detail)" } ?? "")
      }
      return (state.epoch == nil ? "connecting" : "reconnecting") + problem
    case .live: return "connected"
    case .needsCredentials(let code): return "a token is needed, \(code)\(problem)"
    case .away(let code): return "closed, \(code)\(problem)"
    case .left: return "left"
    }
  }

  static func chosen(_ state: PickerState) -> String {
    let text = result(state)
    return state.resultTotal.map { "\(text), \(price($0))" } ?? text
  }

  private static func result(_ state: PickerState) -> String {
    switch state.result {
    case nil:
      guard let range = state.range, state.isOpen(range) else { return "nothing chosen" }
      if state.definition?.isNights == true { return "one end is \(range.start), no other yet" }
      return "\(firstDay(range)), no last day yet"
    case .day(let day): return day.iso
    case .slot(let local): return local.split(separator: "T").joined(separator: " ")
    case .days(let start, let end):
      let count = end.days(since: start) + 1
      return "\(start) to \(end), \(count) \(count == 1 ? "day" : "days")"
    case .nights(let start, let end):
      let count = end.days(since: start)
      return "\(start) to \(end), \(count) \(count == 1 ? "night" : "nights")"
    case .keys: return state.columns.compactMap { $0.selected?.text }.joined(separator: ", ")
    }
  }

  /// `1,380.50 EUR`; whole amounts without decimals.
  static func price(_ total: PickerTotal) -> String {
    let (whole, rest) = total.amount.hundredths.quotientAndRemainder(dividingBy: 100)
    var digits = "\(whole)"
    for place in stride(from: digits.count - 3, to: 0, by: -3) {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
    }
    let cents = rest == 0 ? "" : rest < 10 ? ".0\(rest)" : ".\(rest)"
    return digits + cents + (total.currency.map { " \($0)" } ?? "")
  }

  /// The status as a word, and until when the host may decide.
  static func status(_ state: PickerState) -> String {
    guard let until = state.until else {
      return state.status.rawValue + (state.cancelReason.map { ": \($0)" } ?? "")
    }
    // The time of day, without milliseconds.
    return "\(state.status.rawValue) until \(until.dropFirst(11).prefix(8)) UTC"
  }

  /// - Returns: `nil` for notices without a text.
  static func notice(_ notice: PickerNotice, in state: PickerState) -> String? {
    switch notice {
    case .moved(let column, let row, let cause, let correction, let by):
      // The line about the slot says why.
      if correction?.reason == "gone", state.definition?.kind == "slot" { return nil }
      if let correction {
        return "\(row.text) instead of \(correction.wanted): \(reason(correction.reason))"
      }
      guard cause != "reset" else { return nil }
      return
        "\(who(by, state)): \(cause == "undo" ? "undone, " : "")column \(column + 1) \(row.text)"
    case .ranged(let range, let cause, let correction, let by):
      let text = range.map { self.range($0, in: state) } ?? "nothing chosen"
      if let correction {
        let wanted = correction.wanted.isEmpty ? "" : " instead of \(correction.wanted)"
        return "\(text)\(wanted): \(reason(correction.reason))"
      }
      return "\(who(by, state)): \(cause == "undo" ? "undone, " : "")\(text)"
    case .slotGone(let wanted, let because):
      return "\(wanted.split(separator: "T").joined(separator: " ")) \(loss(because)), "
        + (state.result == nil ? "no time is left" : "now \(chosen(state))")
    case .repriced(let total?, _): return "the total is now \(price(total))"
    case .repriced(nil, _): return "there is no total now"
    case .units(let units): return "\(units) \(units == 1 ? "unit" : "units")"
    case .hold(let hold, _, let reason): return self.hold(hold) ?? holdEnd(reason)
    case .marked(let respondent): return "\(respondent.name) has marked"
    case .cells: return "the cells have changed"
    case .closed(true): return "marks cannot be changed any more"
    case .closed(false): return "marks can be changed again"
    // A decision of the host.
    case .status(.confirmed, nil): return "confirmed by the host"
    case .status(let status, nil): return status.rawValue
    case .status(let status, let by):
      let reason = status == state.status ? state.cancelReason : nil
      return "\(who(by, state)): \(status.rawValue)" + (reason.map { ": \($0)" } ?? "")
    case .notConfirmed(let reason, let detail):
      return reason == "timeout"
        ? "not confirmed: the host has not answered in time"
        : "not confirmed" + (detail.map { ": \($0)" } ?? "")
    // The line for the answer has it.
    case .refused: return nil
    case .lost: return "it is unknown whether the last command was executed"
    case .joined(let member): return "\(member.name) joined"
    case .left(let member): return "\(member.name) left"
    case .wentOffline(let member): return "\(member.name) is offline"
    case .cameBack(let member): return "\(member.name) is back"
    case .promoted(let member): return "\(member.name) is \(member.role.rawValue) now"
    case .renamed(let member, let before): return "\(before) is \(member.name) now"
    }
  }

  static func failure(_ failure: PickerFailure, in state: PickerState) -> String {
    switch failure {
    case .refused(.stale, _, let params): stale(params, in: state)
    case .refused(let code, let detail, _): detail.isEmpty ? code.rawValue : detail
    case .offline: "there is no connection"
    case .replaced: "replaced by a later select"
    case .lost: "it is unknown whether it was executed"
    case .unknownRow: "there is no such row"
    case .badName: "a name has 1 to 64 characters"
    case .badValue: "there is no such date or time"
    case .badCells: "a mark has 1 to 64 runs of cells that ascend"
    case .cancelled: "cancelled"
    }
  }

  /// What is there now, who has changed it, and how to give the command again.
  private static func stale(_ params: RefusalParams, in state: PickerState) -> String {
    let status = state.status == .open ? "" : " (\(self.status(state)))"
    let author =
      switch (params.revision, params.by) {
      case (nil, _): "the former changes are lost"
      case (_, nil): "changed by time or the host"
      case (_, let by): "changed by \(who(by, state))"
      }
    return "not done: \(author), now \(chosen(state))\(status); "
      + "the same line does it on this"
  }

  private static func range(_ range: PickerRange, in state: PickerState) -> String {
    if state.isOpen(range) {
      return state.definition?.isNights == true ? "one end is \(range.start)" : firstDay(range)
    }
    return range.start == range.end ? "\(range.start)" : "\(range.start) to \(range.end)"
  }

  private static func firstDay(_ range: PickerRange) -> String { "first day \(range.start)" }

  private static func who(_ id: String?, _ state: PickerState) -> String {
    guard let id else { return "time" }
    if id == PickerNotice.host { return "the host" }
    return id == state.me?.id ? "you" : state.member(id)?.name ?? "somebody"
  }

  private static func loss(_ loss: PickerSlotLoss) -> String {
    switch loss {
    case .taken: "has just been booked"
    case .closed: "is closed"
    case .rules: "is not available any more"
    }
  }

  private static func reason(_ reason: String) -> String {
    switch reason {
    case "min": "nothing earlier can be picked"
    case "max": "nothing later can be picked"
    case "monthLength": "the month has no such day"
    case "noSuchTime": "there is no such time"
    case "elapsed": "it has passed"
    case "maxDays": "a range has no more days"
    case "blocked": "a blocked day is in between"
    case "maxNights": "a stay has no more nights"
    case "minNights": "a stay has more nights"
    case "noArrival": "no stay begins on that day"
    case "noDeparture": "no stay ends on that day"
    case "soldOut": "it is sold out"
    case "held": "others hold it"
    case "offered": "it is offered to you"
    default: reason
    }
  }
}

extension Sentences {
  static func counts(_ counts: PickerGradeCounts) -> String {
    "\(counts.yes) yes, \(counts.maybe) maybe, \(counts.no) no"
  }

  /// The day of a cell, and its time.
  static func cell(_ cell: Int, of cells: PickerAvailability) -> String {
    if cells.areDates { return cells.days[cell].text }
    for day in cells.days {
      for run in day.runs where run.cells.contains(cell) {
        let row = cells.rows[run.position + cell - run.cells.lowerBound]
        return "\(day.text) \(row.text)" + (row.isAgain ? " again" : "")
      }
    }
    return ""
  }
}
