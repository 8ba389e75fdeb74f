import CivilTime

/// What the three shapes of ``Picker`` do, each in its own way.
///
/// Each is a value type without clock and I/O. Before ``perform(_:by:)`` or
/// ``redefine(_:definedAt:knowing:)`` the caller must call ``tick(_:)`` with the current time,
/// because they apply the bounds of the last tick.
protocol PickerShape: Hashable, Sendable {
  var definition: Definition { get }
  var time: PickerTime { get set }

  /// What undo and redo restore.
  var value: PickerSelection { get }
  /// See ``Picker/result``.
  var result: PickerResult { get }
  var state: StoredPicker { get }

  /// Computes ``PickerTime/nextTick`` from the zone's rules, without trying times one by one.
  var instantOfNextTick: Instant? { get }

  /// See ``Picker/tick(_:)``. Called only if the time is not still at `now`.
  mutating func tick(_ now: Instant) -> TickAnswer

  /// See ``Picker/perform(_:by:)``.
  mutating func perform(_ action: PickerAction, by actor: Actor) throws(Refusal) -> [PickerChange]

  /// See ``Picker/restore(_:)``.
  mutating func restore(_ value: PickerSelection) -> [PickerChange]

  /// Takes a definition of the same kind, with its bounds at the time of the last tick.
  ///
  /// - Parameter known: A picker of the same shape with the new definition, to save work.
  mutating func redefine(
    _ new: Definition, _ bounds: PickerBounds, knowing known: Self?
  ) -> TickAnswer

  /// See ``Picker/see(_:)``. Called only if the levels are others.
  mutating func see(_ levels: KeyLevels?) -> TickAnswer

  /// See ``Picker/take(offered:)``.
  mutating func take(offered fields: ResultFields) throws(Refusal) -> [PickerChange]

  /// The first invariant that does not hold, as a sentence; `nil` if all hold.
  func checkInvariants() -> String?
}

/// The time that a picker has reached, and how long it stays as it is.
struct PickerTime: Sendable {
  /// The instant of the last tick.
  var asOf: Instant
  /// The date of ``asOf`` in the definition's zone.
  var today: CivilDate
  /// The next instant after ``asOf`` at which a tick can return a change; `nil` if there is none.
  var nextTick: Instant?
  /// The bounds and the date do not change from ``asOf`` until just before this instant.
  var stillUntil: Instant

  init(_ now: Instant, in zone: ZoneRules) {
    asOf = now
    today = zone.localDate(at: now)
    stillUntil = now
  }

  /// Whether a tick at `now` is known to change nothing but ``asOf``.
  func isStill(at now: Instant) -> Bool { now >= asOf && now < stillUntil }
}

extension PickerShape {
  /// Moves the time to `now`, without changing anything else.
  mutating func advance(to now: Instant) {
    time.asOf = now
    time.today = definition.zone.localDate(at: now)
  }

  mutating func findNextTick() {
    let next = instantOfNextTick
    let midnight = definition.zone.nextDateChange(after: time.asOf)
    time.nextTick = next
    time.stillUntil = [next, midnight].compactMap { $0 }.min() ?? .last
  }
}

/// Who acts on a picker, as far as the picker asks.
package struct Actor: Sendable {
  package let member: MemberID
  /// Whether it may end a range that another member has begun.
  package let mayClose: Bool
  package let limits: PickerLimits

  package init(_ member: MemberID, mayClose: Bool = true, limits: PickerLimits) {
    self.member = member
    self.mayClose = mayClose
    self.limits = limits
  }
}

/// How much members may leave in a picker to which each adds a part of its own.
package struct PickerLimits: Hashable, Sendable {
  package let respondentsMax: Int
  package let runsMax: Int

  package init(respondentsMax: Int, runsMax: Int) {
    self.respondentsMax = respondentsMax
    self.runsMax = runsMax
  }
}

/// The effects of a tick or of a change of definition.
package struct TickAnswer: Hashable, Sendable {
  package var changes: [PickerChange]
  /// The picker before, if cells of its months may look different now: other days can be picked, or
  /// another day is today. Clients that display months must load their cells again.
  package var cellsBefore: Picker?
  /// Whether the picker has another ``Picker/value``.
  package var hasOtherValue: Bool
  /// Why the selected slot is gone, if a change of definition left no slot to move to.
  package var loss: SlotLoss?

  package init(
    changes: [PickerChange] = [], cellsBefore: Picker? = nil, hasOtherValue: Bool = false,
    loss: SlotLoss? = nil
  ) {
    self.changes = changes
    self.cellsBefore = cellsBefore
    self.hasOtherValue = hasOtherValue
    self.loss = loss
  }

  /// Whether cells of the months may look different.
  package var cellsChanged: Bool { cellsBefore != nil }
}
