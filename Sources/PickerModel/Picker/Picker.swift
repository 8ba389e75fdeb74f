package import CivilTime

/// The state of one picker at a time: one of three shapes.
///
/// Each layer switches over the shapes once; what they do is in their folders. A picker is one
/// pointer, so that reading a part of it copies nothing else.
package enum Picker: Hashable, Sendable {
  case columns(Boxed<ColumnsPicker>)
  case calendar(Boxed<CalendarPicker>)
  case availability(Boxed<AvailabilityPicker>)

  /// Makes a picker with the initial selection of its definition.
  ///
  /// - Throws: ``DefinitionProblem`` if the definition has no bounds at `now`: `min` is after
  ///   `max`, a list of months ends before it starts, or a date is outside the years 0001…9999.
  package init(_ definition: Definition, now: Instant) throws(DefinitionProblem) {
    let bounds = try definition.bounds(at: now)
    switch definition.kind.shape {
    case .columns: self = .columns(try Boxed(ColumnsPicker(definition, bounds, now: now)))
    case .calendar: self = .calendar(Boxed(CalendarPicker(definition, bounds, now: now)))
    case .availability:
      self = .availability(Boxed(AvailabilityPicker(definition, bounds, now: now)))
    }
  }

  /// Makes a picker with a first value.
  ///
  /// - Parameter levels: Those of the inventory at `now`, if there is one.
  /// - Throws: ``DefinitionProblem``, also if the value cannot be selected.
  package init(
    _ definition: Definition, now: Instant, result: ResultFields, seeing levels: KeyLevels? = nil
  ) throws(DefinitionProblem) {
    try self.init(definition, now: now)
    _ = see(levels)
    do throws(Refusal) {
      try setFirst(result)
    } catch {
      throw DefinitionProblem(ofResult: error)
    }
  }

  private mutating func setFirst(_ result: ResultFields) throws(Refusal) {
    let limits = PickerLimits(respondentsMax: 0, runsMax: 0)
    _ = try perform(.set(result), by: Actor(.host, limits: limits))
    guard case .columns(var box) = self else { return }
    box.shape.countGenerationsFromOne()
    self = .columns(box)
  }

  /// Restores a picker from its stored state. With the same definition it equals the picker from
  /// which the state was taken.
  ///
  /// Keys that the definition does not have are clamped as a tick would clamp them.
  /// - Precondition: ``StoredPicker/fits(_:)`` is `true` for the definition.
  package init(_ definition: Definition, state: StoredPicker, seeing levels: KeyLevels? = nil) {
    switch definition.kind.shape {
    case .columns:
      self = .columns(Boxed(ColumnsPicker(definition, state: state, seeing: levels)))
    case .calendar:
      self = .calendar(Boxed(CalendarPicker(definition, state: state, seeing: levels)))
    case .availability:
      self = .availability(Boxed(AvailabilityPicker(definition, state: state)))
    }
  }
}

extension Picker {
  package var definition: Definition {
    switch self {
    case .columns(let box): box.shape.definition
    case .calendar(let box): box.shape.definition
    case .availability(let box): box.shape.definition
    }
  }

  private var time: PickerTime {
    switch self {
    case .columns(let box): box.shape.time
    case .calendar(let box): box.shape.time
    case .availability(let box): box.shape.time
    }
  }

  /// The instant of the last tick.
  package var asOf: Instant { time.asOf }

  /// The next instant after ``asOf`` at which a tick can return a change; `nil` if there is none.
  /// The owner of the picker sets its timer to it.
  package var nextTick: Instant? { time.nextTick }

  /// The selected keys, or the range.
  package var value: PickerSelection {
    switch self {
    case .columns(let box): box.shape.value
    case .calendar(let box): box.shape.value
    case .availability(let box): box.shape.value
    }
  }

  /// The state to store; with the definition it is enough to restore the picker.
  package var state: StoredPicker {
    switch self {
    case .columns(let box): box.shape.state
    case .calendar(let box): box.shape.state
    case .availability(let box): box.shape.state
    }
  }

  /// The result of the current selection; ``PickerResult/null`` while a range is open or nothing is
  /// selected.
  package var result: PickerResult {
    switch self {
    case .columns(let box): box.shape.result
    case .calendar(let box): box.shape.result
    case .availability(let box): box.shape.result
    }
  }

  /// ``result`` with the total of its days' notes, if all of them have an amount.
  package func result(priced notes: Notes) -> PickerResult {
    switch self {
    case .columns(let box): box.shape.result
    // By parts of the shape, which a call of a method of the shape would copy.
    case .calendar(let box): box.shape.kind.result(of: box.shape.range, priced: notes)
    case .availability(let box): box.shape.result
    }
  }

  /// Whether ``result`` is not ``PickerResult/null``. Only a complete picker can be confirmed.
  package var isComplete: Bool { result != .null }

  /// An estimate of the memory that the parts of members take, in bytes.
  package var partsByteCount: Int {
    switch self {
    case .columns, .calendar: 0
    case .availability(let box): box.shape.partsByteCount
    }
  }
}

extension Picker {
  /// Whether a tick at `now` is known to change nothing but ``asOf``.
  package func isStill(at now: Instant) -> Bool {
    switch self {
    case .columns(let box): box.shape.time.isStill(at: now)
    case .calendar(let box): box.shape.time.isStill(at: now)
    case .availability(let box): box.shape.time.isStill(at: now)
    }
  }

  /// Moves ``asOf`` to `now` if nothing else changes by it: the fast path between two taps.
  ///
  /// - Returns: `false` if the picker is unchanged because a ``tick(_:)`` at `now` may change more.
  package mutating func passes(to now: Instant) -> Bool {
    guard isStill(at: now) else { return false }
    switch consume self {
    case .columns(var box):
      box.shape.time.asOf = now
      self = .columns(box)
    case .calendar(var box):
      box.shape.time.asOf = now
      self = .calendar(box)
    case .availability(var box):
      box.shape.time.asOf = now
      self = .availability(box)
    }
    return true
  }

  /// Moves the picker to the time `now`, later or earlier than ``asOf``, and clamps the selection
  /// to the bounds of that time.
  ///
  /// If the definition has no bounds at `now` (`min` after `max`, the list's end before its start,
  /// a date outside 0001…9999), the previous bounds stay in force.
  package mutating func tick(_ now: Instant) -> TickAnswer {
    if passes(to: now) { return TickAnswer() }
    // Consumed, because what members have marked would be copied if there were two of it.
    switch consume self {
    case .columns(var box):
      defer { self = .columns(box) }
      return box.shape.tick(now)
    case .calendar(var box):
      defer { self = .calendar(box) }
      return box.shape.tick(now)
    case .availability(var box):
      defer { self = .availability(box) }
      return box.shape.tick(now)
    }
  }

  /// Does what a member, or the host, wants.
  ///
  /// - Returns: The changes; empty if there was nothing to change.
  /// - Throws: ``Refusal``. The picker is unchanged then.
  package mutating func perform(
    _ action: PickerAction, by actor: Actor
  ) throws(Refusal) -> [PickerChange] {
    let outcome: Result<[PickerChange], Refusal>
    switch consume self {
    case .columns(var box):
      outcome = box.shape.outcome(of: action, by: actor)
      self = .columns(box)
    case .calendar(var box):
      outcome = box.shape.outcome(of: action, by: actor)
      self = .calendar(box)
    case .availability(var box):
      outcome = box.shape.outcome(of: action, by: actor)
      self = .availability(box)
    }
    switch outcome {
    case .success(let changes): return changes
    case .failure(let refusal): throw refusal
    }
  }

  /// Restores an earlier value, clamped to the current bounds, for undo and redo.
  ///
  /// - Returns: The changes, with the cause `undo`; empty if nothing changed.
  package mutating func restore(_ value: PickerSelection) -> [PickerChange] {
    switch consume self {
    case .columns(var box):
      defer { self = .columns(box) }
      return box.shape.restore(value)
    case .calendar(var box):
      defer { self = .calendar(box) }
      return box.shape.restore(value)
    case .availability(var box):
      defer { self = .availability(box) }
      return box.shape.restore(value)
    }
  }

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
    try definition.kind.check(new.kind)
    let bounds = try new.bounds(at: asOf, orAt: definedAt)
    switch consume self {
    case .columns(var box):
      defer { self = .columns(box) }
      return box.shape.redefine(new, bounds, knowing: known?.asColumns)
    case .calendar(var box):
      defer { self = .calendar(box) }
      return box.shape.redefine(new, bounds, knowing: nil)
    case .availability(var box):
      defer { self = .availability(box) }
      return box.shape.redefine(new, bounds, knowing: nil)
    }
  }
}

extension PickerShape {
  /// Not thrown, so that the shape is put back into the picker in one place.
  fileprivate mutating func outcome(
    of action: PickerAction, by actor: Actor
  ) -> Result<[PickerChange], Refusal> {
    do throws(Refusal) {
      return .success(try perform(action, by: actor))
    } catch {
      return .failure(error)
    }
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

/// What a session asks about an action, which it does not open.
extension Picker {
  /// Whether an action is about what only its member can change, so that it is never late.
  package func isOwn(_ action: PickerAction) -> Bool {
    switch self {
    case .columns, .calendar: false
    case .availability: !action.isHosts
    }
  }

  /// Whether a picker in its current state uses all that the action says. If not,
  /// ``PickerAction/brief`` is enough for it.
  package func readsAll(of action: PickerAction) -> Bool {
    switch self {
    case .columns(let box): box.shape.readsAll(of: action)
    case .calendar, .availability: true
    }
  }

  /// Whether the member of an action saw other rows than the column has now, so that only the key
  /// counts.
  package func isStale(_ action: PickerAction) -> Bool {
    switch self {
    case .columns(let box): box.shape.isStale(action)
    case .calendar, .availability: false
    }
  }

  /// Which part of the state a member needs whose action was refused.
  package func correction(for action: PickerAction, _ code: Rejection) -> PickerCorrection {
    switch self {
    case .columns(let box): box.shape.correction(for: action, code)
    case .calendar: action.isTap ? .range : .nothing
    case .availability: .nothing
    }
  }

  /// Whether a member has a part in the value that stays when it leaves.
  package func hasPart(of member: MemberID) -> Bool {
    switch self {
    case .columns, .calendar: false
    case .availability(let box): box.shape.hasPart(of: member)
    }
  }
}

/// The part of the current state that a refusal includes, so that the sender can undo what it
/// displayed in advance.
package enum PickerCorrection: Hashable, Sendable {
  case nothing
  /// The selected row of a column; with `reloads` also its rows, because the sender has old ones.
  case column(Int, reloads: Bool)
  case range
}

extension Picker {
  /// Checks the invariants of a picker, for tests and the simulator.
  ///
  /// - Returns: The first invariant that does not hold, as a sentence; `nil` if all hold.
  package func _checkInvariants() -> String? {
    guard state.fits(definition) else { return "the state is of the definition's kind" }
    return switch self {
    case .columns(let box): box.shape.checkInvariants()
    case .calendar(let box): box.shape.checkInvariants()
    case .availability(let box): box.shape.checkInvariants()
    }
  }
}

/// English words for `pickerd replay`.
extension Picker {
  /// A line for each part of the state, beginning with its name.
  ///
  /// - Parameter tapped: Who has tapped last, to end the line of a range.
  package func words(in texts: any RowTexts, tapped: String) -> [String] {
    switch self {
    case .columns(let box): box.shape.words(in: texts)
    case .calendar(let box): [box.shape.words + (box.shape.range == nil ? "" : tapped)]
    case .availability(let box): box.shape.words(in: texts)
    }
  }
}
