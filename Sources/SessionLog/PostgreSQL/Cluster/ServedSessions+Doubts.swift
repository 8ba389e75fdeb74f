import PickerSession

/// What the log may have of the sessions in memory after their known entries.
extension ServedSessions {
  /// A session to be compared with the log.
  struct Doubt {
    let session: SessionID
    let number: Int
    let load: Int
    let epoch: String
    let position: Int
    let head: Int
  }

  /// What the log has of such a session, here and on the standbys.
  struct Finding {
    let doubt: Doubt
    /// `nil` if the session has ended.
    let epoch: String?
    /// The last entry.
    let head: Int

    /// Whether the log has changed since the last report.
    var isNews: Bool { epoch != doubt.epoch || head != doubt.head }

    /// Whether reported entries are missing: the database is older than before.
    var isShorter: Bool { epoch == doubt.epoch && head < doubt.position }
  }

  /// The log may have entries after the known ones, another epoch or an end.
  mutating func doubted(_ session: SessionID) {
    guard sessions[session] != nil else { return }
    doubtCount += 1
    doubtful[session] = doubtCount
  }

  var doubts: [Doubt] {
    doubtful.compactMap { session, number in
      guard let served = sessions[session], let position = served.position,
        let epoch = served.epoch
      else { return nil }
      return Doubt(
        session: session, number: number, load: served.load, epoch: epoch, position: position,
        head: served.head)
    }
  }

  var hasDoubts: Bool { doubtful.keys.contains { sessions[$0]?.position != nil } }

  /// A doubt was settled.
  mutating func settled(_ finding: Finding) -> Report {
    var report = Report()
    let (doubt, session) = (finding.doubt, finding.doubt.session)
    guard let served = sessions[session], served.load == doubt.load else { return report }
    if doubtful[session] == doubt.number { doubtful[session] = nil }
    if finding.epoch == doubt.epoch, !finding.isShorter {
      noted(finding.head, of: session)
    } else {
      drop(session, hasEnded: finding.epoch == nil, &report)
    }
    return report
  }
}
