package import CivilTime
package import PickerModel

/// A changed result that the feed has not reported yet, of a session that is created with
/// `"watch": ["result"]`.
///
/// It is part of the fold: the first tick or command of the log at or after ``due`` reports it. If
/// there is none, the hub appends a tick. So the same log gives the same events, however often the
/// server was killed meanwhile.
package struct UnreportedResult: Hashable, Sendable {
  package var firstChangedAt: Instant
  package var lastChangedAt: Instant
  /// The revision of the last change.
  package var revision: Int

  package init(firstChangedAt: Instant, lastChangedAt: Instant, revision: Int) {
    self.firstChangedAt = firstChangedAt
    self.lastChangedAt = lastChangedAt
    self.revision = revision
  }

  private static let unchangedMilliseconds: Int64 = 2000
  private static let delayMillisecondsMax: Int64 = 30_000

  /// The time at which the result has been unchanged for 2 s, or has been changing for 30 s.
  package var due: Instant {
    min(
      lastChangedAt.adding(milliseconds: UnreportedResult.unchangedMilliseconds),
      firstChangedAt.adding(milliseconds: UnreportedResult.delayMillisecondsMax))
  }
}

/// A result that has been unchanged for long enough.
package struct ResultReport: Hashable, Sendable {
  /// The time at which it is reported.
  package let at: Instant
  /// The revision of the last change.
  package let revision: Int
  package let status: SessionStatus
  package let result: PickerResult
}

extension SessionFold {
  /// Reports a changed result that is due, or whose change is in the future because the clock was
  /// set back by more than a second. Called where time passes, so that the entry leaves a tick when
  /// the log is compacted.
  mutating func reportResult(at now: Instant, _ outcomes: inout [Outcome]) {
    guard let unreported else { return }
    let isSetBack = now.adding(milliseconds: 1000) < unreported.lastChangedAt
    guard unreported.due <= now || isSetBack else { return }
    self.unreported = nil
    outcomes.append(
      .resultReported(
        ResultReport(
          at: min(unreported.due, now), revision: unreported.revision, status: status,
          result: result)))
  }

  /// Records a change of the result at a revision.
  mutating func noteResultChange(at now: Instant) {
    unreported = UnreportedResult(
      firstChangedAt: unreported?.firstChangedAt ?? now, lastChangedAt: now, revision: revision)
  }
}
