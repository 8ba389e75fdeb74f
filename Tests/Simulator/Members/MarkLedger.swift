import JSONText
import PickerModel
import PickerSession

/// Who has marked what in an `availability`, computed from the log by brute force: each mark is
/// stored with the date or the time that it is on, and everything is counted again by everybody.
struct MarkLedger {
  /// A cell by what it is, not by its number.
  private struct Place: Hashable {
    /// A date's ordinal, or seconds since 1970.
    let start: Int64
    /// Of a time, in seconds; 0 for dates.
    let length: Int64
  }

  private var marks: [String: [Place: Grade]] = [:]
  /// What members with imported marks have marked by hand.
  private var byHand: [String: Set<Place>] = [:]
  private var definition: Definition
  private var options: Options
  /// The marks that were done, by member and ref.
  private(set) var done: [Int: [String: CellMark]] = [:]

  private struct Options {
    let length: Int
    let minimum: Int
    let hasMaybe: Bool
    let unmarked: Grade

    init(_ definition: Definition) {
      let tree = definition.document(full: true)
      length = tree["length"]?.integer ?? 1
      minimum = tree["minimum"]?.integer ?? 1
      hasMaybe = tree["maybe"]?.bool ?? true
      unmarked = tree["unmarked"]?.string == "yes" ? .yes : .no
    }
  }

  /// - Returns: `nil` for other kinds.
  init?(_ fold: SessionFold) {
    guard fold.picker.availability != nil else { return nil }
    definition = fold.picker.definition
    options = Options(definition)
  }

  /// Applies an entry.
  ///
  /// - Parameter fold: The state after it.
  /// - Returns: The first invariant that does not hold, as a sentence; `nil` if all hold.
  mutating func follow(
    _ entry: LogEntry, _ effects: [Effect], to fold: SessionFold
  ) -> String? {
    guard let state = fold.picker.availability else { return "a session does not change its kind" }
    for case .delta(let delta) in effects {
      for case .availability(.cells(let change)) in delta.change.pickerChanges {
        retain(change.cells)
      }
    }
    if fold.picker.definition !== definition {
      definition = fold.picker.definition
      options = Options(definition)
      if !options.hasMaybe { remove { $1 == .maybe } }
    }
    if let sentence = take(entry, effects, state) { return sentence }
    return difference(from: state)
  }

  private mutating func remove(where isGone: (Place, Grade) -> Bool) {
    marks = marks.mapValues { $0.filter { !isGone($0.key, $0.value) } }.filter { !$1.isEmpty }
    forgetHands()
  }

  /// Once a member has no marks, everything can be imported.
  private mutating func forgetHands() { byHand = byHand.filter { marks[$0.key] != nil } }

  /// Removes the marks on what is no cell any more.
  private mutating func retain(_ cells: CellList) {
    let places = Set(MarkLedger.places(of: cells))
    remove { place, _ in !places.contains(place) }
    byHand = byHand.mapValues { $0.intersection(places) }
  }

  private static func places(of cells: CellList) -> [Place] {
    switch cells.content {
    case .dates(let dates): dates.map { Place(start: Int64($0.ordinal), length: 0) }
    case .times(let starts, let step): starts.map { Place(start: $0, length: step) }
    }
  }

  private mutating func take(
    _ entry: LogEntry, _ effects: [Effect], _ state: Availability
  ) -> String? {
    guard case .command(let member, let ref, let command, _) = entry.body else { return nil }
    let hasDelta = effects.contains { effect in
      guard case .delta(let delta) = effect, let author = delta.author else { return false }
      return author.member == member && author.ref == ref
    }
    switch command {
    case .act(.availability(.importMarks(let imported))):
      let isDone = effects.contains { effect in
        if case .delta(let delta) = effect { delta.isHostCommand } else { false }
      }
      if isDone { take(imported, state) }
    case .act(.clear) where hasDelta:
      marks[member.text] = nil
      forgetHands()
    case .act(.availability(.mark(let mark))) where hasDelta:
      let places = MarkLedger.places(of: state.cells)
      guard mark.generation == state.generation, !state.isClosed,
        mark.cells.allSatisfy({
          $0.lowerBound >= state.past && $0.upperBound <= places.count
        })
      else { return "a mark on cells that cannot be marked is refused: \(mark)" }
      let grade = mark.grade.flatMap { Grade(name: $0) }
      for cell in mark.cells.joined() {
        marks[member.text, default: [:]][places[cell]] = grade
        byHand[member.text]?.insert(places[cell])
      }
      if marks[member.text]?.isEmpty == true { marks[member.text] = nil }
      forgetHands()
      done[ref, default: [:]][member.text] = mark
    default: break
    }
    return nil
  }

  /// Imports what a calendar says about each cell.
  private mutating func take(_ imported: MarkImport, _ state: Availability) {
    let tree = JSONTree.object(imported.members)
    func intervals(_ name: String) -> [Range<Int64>] {
      (tree[name]?.array ?? []).map { pair in
        Int64(pair.array![0].integer!)..<Int64(pair.array![1].integer!)
      }
    }
    let (free, tentative, busy) = (intervals("free"), intervals("tentative"), intervals("busy"))
    let own = marks[imported.member] ?? [:]
    let hand = byHand[imported.member] ?? Set(own.keys)
    var after = own
    for (cell, place) in MarkLedger.places(of: state.cells).enumerated()
    where cell >= state.past && !hand.contains(place) {
      let time = place.start..<place.start + max(1, place.length)
      // All times are whole minutes.
      let moments = stride(
        from: time.lowerBound, to: time.upperBound, by: place.length == 0 ? 1 : 60)
      let isFree = moments.allSatisfy { moment in free.contains { $0.contains(moment) } }
      let worst: Grade? =
        busy.contains { $0.overlaps(time) }
        ? .no
        : tentative.contains { $0.overlaps(time) } ? (options.hasMaybe ? .maybe : .no) : nil
      after[place] = imported.areDates == (place.length == 0) ? worst ?? (isFree ? .yes : nil) : nil
    }
    marks[imported.member] = after.isEmpty ? nil : after
    if !after.isEmpty { byHand[imported.member] = hand }
    forgetHands()
  }

  /// What differs from the counts of everybody's marks; `nil` if nothing does.
  private func difference(from state: Availability) -> String? {
    let places = MarkLedger.places(of: state.cells)
    let numbers = Dictionary(uniqueKeysWithValues: places.enumerated().map { ($1, $0) })
    var own: [String: [Int: Grade]] = [:]
    var heat = Array(repeating: [0, 0, 0], count: places.count)
    for (member, marks) in marks {
      for (place, grade) in marks {
        guard let cell = numbers[place] else { return "marks are on cells" }
        own[member, default: [:]][cell] = grade
        heat[cell][grade == .yes ? 0 : grade == .maybe ? 1 : 2] += 1
      }
    }
    let known = state.marks.mapValues { marks in
      Dictionary(
        uniqueKeysWithValues: marks.runs.flatMap { run in run.cells.map { ($0, run.grade) } })
    }
    guard own == known else { return "no mark is lost, and none is made up: \(own), not \(known)" }
    guard heat == state.heat.map({ [$0.yes, $0.maybe, $0.no] }) else {
      return "heat is the sum of all marks"
    }
    let best = best(own, places, past: state.past)
    let found = state.best.map { [$0.cell, $0.counts.yes, $0.counts.maybe, $0.counts.no] }
    return best == found ? nil : "the best windows are \(best), not \(found)"
  }

  private func best(
    _ marks: [String: [Int: Grade]], _ places: [Place], past: Int
  ) -> [[Int]] {
    var windows: [[Int]] = []
    for first in places.indices where first >= past && first + options.length <= places.count {
      let window = first..<first + options.length
      guard
        window.dropFirst().allSatisfy({
          places[$0].start == places[$0 - 1].start + max(1, places[$0].length)
        })
      else { continue }
      var counts = [0, 0, 0]
      for own in marks.values {
        let worst = window.map { own[$0] ?? options.unmarked }.min()!
        counts[worst == .yes ? 0 : worst == .maybe ? 1 : 2] += 1
      }
      if counts[0] + counts[1] >= options.minimum { windows.append([first] + counts) }
    }
    windows.sort { left, right in
      (right[1] + right[2], right[1], left[0]) < (left[1] + left[2], left[1], right[0])
    }
    return Array(windows.prefix(5))
  }
}
