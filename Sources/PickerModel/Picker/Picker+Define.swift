package import CivilTime

extension Picker {
  /// Takes another definition of the same kind, and keeps what can be kept.
  ///
  /// The caller ticks the picker to the present before.
  /// - Parameter definedAt: The time at which the definition was accepted, if that was while the
  ///   picker stood still. Its bounds of then count if it has none at the time of the last tick.
  /// - Returns: What changed: all reloads, then all moved rows; or the months and the range.
  /// - Throws: What is wrong with the definition at the time of the last tick. Nothing has changed
  ///   then.
  /// - Source: rules.md, "When the definition changes".
  package mutating func redefine(
    _ new: Definition, definedAt: Instant? = nil
  ) throws(DefinitionProblem) -> TickAnswer {
    guard new.kind == definition.kind else {
      let detail = "kind is \"\(new.kind)\"; it must stay \"\(definition.kind)\""
      throw DefinitionProblem(detail).under("kind")
    }
    let newBounds = try new.bounds(at: asOf, orAt: definedAt)
    let before = self
    definition = new
    bounds = newBounds
    today = new.zone.localDate(at: asOf)
    findNextTick()
    if let calendar { return redefineCalendar(calendar, before) }
    return TickAnswer(changes: redefineColumns(before))
  }

  private mutating func redefineColumns(_ before: Picker) -> [PickerChange] {
    let goalDay = definition.goalDay(keeping: value)
    let rules = definition.columnRules(
      within: bounds, today: today, goalDay: goalDay, knowing: nil)!
    let kept = rules.keeping(value.keys, shownIn: columns)
    let reason: ClampReason = definition.kind == .date ? kept.reason ?? .gone : .gone
    return show(kept, rules, goalDay: goalDay, by: .define(reason))
  }

  private mutating func redefineCalendar(
    _ calendar: CalendarRules, _ before: Picker
  ) -> TickAnswer {
    var answer = TickAnswer(cellsChanged: true)
    if calendar.bounds.months != before.months {
      answer.changes.append(.months(calendar.bounds.months))
    }
    let kept = calendar.keepingWalked(before.range)
    value = .range(kept.range)
    let reach = calendar.reach(of: kept.range)
    if kept.range != before.range || reach != before.reach {
      let wanted = kept.reason == nil ? nil : before.range?.end
      answer.changes.append(
        .range(
          .init(
            range: kept.range, cause: .define, reason: kept.reason, wanted: wanted, reach: reach)))
    }
    return answer
  }
}

extension Definition {
  /// The bounds at `now`; if there are none, those at another time.
  fileprivate func bounds(
    at now: Instant, orAt other: Instant?
  ) throws(DefinitionProblem) -> PickerBounds {
    do throws(DefinitionProblem) {
      return try bounds(at: now)
    } catch {
      guard let other else { throw error }
      return try bounds(at: other)
    }
  }
}
