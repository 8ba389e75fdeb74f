package import CivilTime

extension Picker {
  /// Replaces the definition by another one of the same kind. The selection stays as far as the new
  /// definition allows it.
  ///
  /// Call ``tick(_:)`` with the current time before.
  /// - Parameters:
  ///   - definedAt: The time at which the host's definition was accepted, if no tick followed it.
  ///     If the definition has no bounds at the time of the last tick, its bounds at this time are
  ///     used.
  ///   - known: A picker with the new definition, to save work.
  /// - Returns: For columns all reloads, then all moved rows; for a calendar the months, then the
  ///   range.
  /// - Throws: The problem that the definition has at the time of the last tick. The picker is
  ///   unchanged then.
  package mutating func redefine(
    _ new: Definition, definedAt: Instant? = nil, knowing known: Picker? = nil
  ) throws(DefinitionProblem) -> TickAnswer {
    guard new.kind == definition.kind else {
      let detail = "kind is \"\(new.kind)\"; it must stay \"\(definition.kind)\""
      throw DefinitionProblem(detail).under("kind")
    }
    let newBounds = try new.bounds(at: asOf, orAt: definedAt)
    let before = self
    definition = new
    layout = nil
    bounds = newBounds
    today = new.zone.localDate(at: asOf)
    if case .availability(let kind) = new.rules {
      let answer = redefineAvailability(kind)
      findNextTick()
      return answer
    }
    findNextTick()
    if let calendar { return redefineCalendar(calendar, before) }
    return TickAnswer(changes: redefineColumns(before, knowing: known))
  }

  private mutating func redefineColumns(
    _ before: Picker, knowing known: Picker?
  ) -> [PickerChange] {
    let goalDay = definition.goalDay(keeping: value)
    let rules = definition.columnRules(
      within: bounds, today: today, goalDay: goalDay,
      knowing: known?.definition === definition ? known?.shownSlotDays : nil)!
    let retained = rules.keeping(value.keys, shownIn: columns)
    let reason: ClampReason = definition.kind == .date ? retained.reason ?? .gone : .gone
    return show(retained, rules, goalDay: goalDay, by: .define(reason))
  }

  private mutating func redefineCalendar(
    _ calendar: CalendarRules, _ before: Picker
  ) -> TickAnswer {
    var answer = TickAnswer(cellsChanged: true)
    if calendar.bounds.months != before.months {
      answer.changes.append(.months(calendar.bounds.months))
    }
    let retained = calendar.keepingWalked(before.range)
    value = .range(retained.range)
    let reach = calendar.reach(of: retained.range)
    if retained.range != before.range || reach != before.reach {
      let wanted = retained.reason == nil ? nil : before.range?.end
      answer.changes.append(
        .range(
          .init(
            range: retained.range, cause: .define, reason: retained.reason, wanted: wanted,
            reach: reach)))
    }
    return answer
  }
}

extension Definition {
  /// The bounds at `now`; if the definition has none then, those at `other`.
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
