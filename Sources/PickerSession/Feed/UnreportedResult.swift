package import CivilTime
package import JSONText
package import PickerModel

/// A changed result that the feed has not reported yet, of a session that is created with
/// `"watch": ["result"]`.
///
/// It is part of the fold: the first tick or command of the log at or after ``due`` reports it, or
/// an earlier one that changes the status. If there is none, the hub appends a tick. So the same
/// log gives the same events, however often the server was killed meanwhile.
package struct UnreportedResult: Hashable, Sendable {
  package var firstChangedAt: Instant
  package var lastChangedAt: Instant

  package init(firstChangedAt: Instant, lastChangedAt: Instant) {
    self.firstChangedAt = firstChangedAt
    self.lastChangedAt = lastChangedAt
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

/// What an event has of the state after a revision.
package struct ReportedState: Hashable, Sendable {
  package let status: SessionStatus
  package let result: PickerResult
  /// The host's data, part of the result.
  package let data: VerbatimJSON?
}

/// A changed result that is reported now.
package struct ResultReport: Hashable, Sendable {
  /// The time at which it is reported.
  package let at: Instant
  /// The revision at which it is reported, so that the revisions of a session's events never
  /// decrease. Changes of notes may have made revisions since the result changed.
  package let revision: Int
  package let state: ReportedState
}

extension StatusChange {
  var reportedState: ReportedState { ReportedState(status: status, result: result, data: data) }
}

extension SessionFold {
  var reportedState: ReportedState {
    ReportedState(status: status, result: result, data: decision.data)
  }

  /// Reports a changed result that is due, or whose change is in the future because the clock was
  /// set back by more than a second. Called where time passes, so that the entry leaves a tick when
  /// the log is compacted.
  mutating func reportResult(at now: Instant, _ effects: inout [Effect]) {
    guard let unreported else { return }
    let isSetBack = now.adding(milliseconds: 1000) < unreported.lastChangedAt
    guard unreported.due <= now || isSetBack else { return }
    report(unreported, at: now, &effects)
  }

  /// Reports a changed result, with the current state.
  mutating func report(
    _ unreported: UnreportedResult, at now: Instant, _ effects: inout [Effect]
  ) {
    facts.unreported = nil
    effects.append(
      .resultReported(
        ResultReport(at: min(unreported.due, now), revision: revision, state: reportedState)))
  }

  /// Records a change of the result.
  mutating func noteResultChange(at now: Instant) {
    facts.unreported = UnreportedResult(
      firstChangedAt: unreported?.firstChangedAt ?? now, lastChangedAt: now)
  }
}
