package import CivilTime

/// The cells of an `availability`, numbered from 0 by time: dates, or intervals of equal length.
///
/// Immutable and shared: deltas refer to it.
package final class CellList: Sendable {
  package enum Content: Hashable, Sendable {
    case dates([CivilDate])
    /// Where the cells begin, in seconds since 1970-01-01T00:00Z, and their length.
    case times([Int64], stepSeconds: Int64)
  }

  package let content: Content
  package let count: Int
  /// For each cell, the number after the last one that can be reached from it by cells of which
  /// each begins where the one before ends.
  private let runEnds: [Int32]

  /// - Parameter dates: Ascending.
  init(dates: [CivilDate]) {
    content = .dates(dates)
    count = dates.count
    runEnds = CellList.runEnds(of: dates.map { Int64($0.ordinal) }, step: 1)
  }

  /// - Parameter starts: Ascending.
  init(starts: [Int64], stepSeconds: Int64) {
    content = .times(starts, stepSeconds: stepSeconds)
    count = starts.count
    runEnds = CellList.runEnds(of: starts, step: stepSeconds)
  }

  private static func runEnds(of starts: [Int64], step: Int64) -> [Int32] {
    var ends = (0..<starts.count).map { Int32($0 + 1) }
    for cell in stride(from: starts.count - 2, through: 0, by: -1)
    where starts[cell] + step == starts[cell + 1] {
      ends[cell] = ends[cell + 1]
    }
    return ends
  }

  /// Whether a window of `length` cells begins with this cell.
  func hasWindow(at cell: Int, length: Int) -> Bool { Int(runEnds[cell]) - cell >= length }

  /// Whether the next cell begins where this one ends.
  package func isFollowed(_ cell: Int) -> Bool { Int(runEnds[cell]) > cell + 1 }

  package var areDates: Bool { if case .dates = content { true } else { false } }
}

extension CellList: Hashable {
  package static func == (left: CellList, right: CellList) -> Bool {
    left === right || left.content == right.content
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension CellList {
  /// The number of cells that are past: times that have begun, dates before today.
  func pastCount(at now: Instant, today: CivilDate) -> Int {
    switch content {
    case .dates(let dates): dates.partitionPoint { $0 >= today }
    case .times(let starts, stepSeconds: _): starts.partitionPoint { $0 * 1_000 > now.milliseconds }
    }
  }

  /// The next instant at which ``pastCount(at:today:)`` changes; `nil` if there is none.
  func nextPast(after now: Instant, today: CivilDate, in zone: ZoneRules) -> Instant? {
    let past = pastCount(at: now, today: today)
    switch content {
    case .times(let starts, stepSeconds: _):
      return past < count ? Instant(seconds: starts[past]) : nil
    case .dates(let dates):
      // A clock change from after midnight to before it makes yesterday today again.
      let mayReturn = past > 0 && dates[past - 1].days(since: today) == -1
      if mayReturn || past < count && dates[past] <= today {
        return zone.nextDateChange(after: now)
      }
      guard past < count, let next = dates[past].adding(days: 1) else { return nil }
      return zone.startOfDay(next)
    }
  }

  /// The number in `other` of each cell; −1 if it is no cell there.
  func numbers(in other: CellList) -> [Int] {
    var numbers: [Int] = []
    numbers.reserveCapacity(count)
    var next = 0
    func add<Start: Comparable>(_ own: [Start], _ others: [Start]) {
      for start in own {
        while next < others.count, others[next] < start { next += 1 }
        numbers.append(next < others.count && others[next] == start ? next : -1)
      }
    }
    switch (content, other.content) {
    case (.dates(let own), .dates(let others)): add(own, others)
    case (.times(let own, let step), .times(let others, let otherStep)) where step == otherStep:
      add(own, others)
    case (.dates, _), (.times, _): numbers = Array(repeating: -1, count: count)
    }
    return numbers
  }

  /// What a window of `length` cells takes.
  ///
  /// - Precondition: ``hasWindow(at:length:)``.
  func span(at cell: Int, length: Int) -> WindowSpan {
    switch content {
    case .dates(let dates): .dates(dates[cell]...dates[cell + length - 1])
    case .times(let starts, let step):
      .time(
        Instant(seconds: starts[cell]),
        until: Instant(seconds: starts[cell] + step * Int64(length)))
    }
  }
}

/// What a window takes.
package enum WindowSpan: Hashable, Sendable {
  /// Both included.
  case dates(ClosedRange<CivilDate>)
  case time(Instant, until: Instant)
}
