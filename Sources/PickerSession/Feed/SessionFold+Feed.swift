package import CivilTime
import JSONText
package import PickerModel

/// The events of a session: a pure function of its log. They are derived when an entry is applied,
/// and again when a session is loaded whose last events were not stored.
extension SessionFold {
  /// The events of an effect of the entry that was applied last; none for most effects.
  ///
  /// - Parameter now: The time of the entry.
  package func events(of effect: Effect, at now: Instant) -> [FeedEvent] {
    if case .delta(let delta) = effect {
      guard delta.isReported else { return [] }
      return [event(of: delta), holdEvent(of: delta)].compactMap(\.self)
    }
    return event(of: effect, at: now).map { [$0] } ?? []
  }

  private func event(of effect: Effect, at now: Instant) -> FeedEvent? {
    switch effect {
    case .answered, .cellsChanged, .roleChanged, .renamed, .revoked, .sightChanged,
      .presence, .delta:
      nil
    case .joined(let member, let meta):
      members[member].flatMap { event(.memberJoined, $0, meta: meta, at: now) }
    case .left(let member):
      remembered.member(member).flatMap { event(.memberLeft, $0, at: now) }
    case .resultReported(let report):
      event(.resultChanged, revision: report.revision, at: report.at, report.state)
    case .settled(.late(let settle?)):
      event(
        .lateConfirmation, revision: revision, discriminator: settle.op, at: now, reportedState
      ) {
        $0.literal(",\"op\":", settle.op)
        $0.data(of: settle)
      }
    case .settled: nil
    case .definitionRejected(let version, let problem):
      event(
        .definitionRejected, revision: revision, discriminator: "\(version)", at: now,
        reportedState
      ) { $0.rejection(of: version, origin.uses?.name, problem) }
    }
  }

  /// The event of the creation.
  package var creationEvent: FeedEvent {
    event(.created, revision: 0, at: origin.createdAt, reportedState)
  }

  /// The event of the end, with the final state.
  package func endEvent(_ reason: SessionEnd, at now: Instant) -> FeedEvent {
    event(.ended, revision: revision, at: max(now, reached), reportedState) {
      $0.literal(",\"reason\":", reason.rawValue)
    }
  }

  private func event(of delta: Delta) -> FeedEvent? {
    switch delta.change {
    case .picker, .notes, .inventory: return nil
    case .definition(let redefinition, _, tappedBy: _):
      // A shared definition has an event of its own.
      guard redefinition.isAnnounced,
        origin.uses == nil || origin.host.watched.contains(.definition)
      else { return nil }
      // Nothing follows it in its entry.
      return event(.definitionChanged, revision: delta.revision, at: delta.at, reportedState) {
        $0.literal(",\"version\":", redefinition.version)
      }
    case .status(let change):
      let type: FeedEventType =
        switch change.status {
        case .open: .reopened
        case .confirming: .confirming
        case .confirmed: .confirmed
        case .cancelled: .cancelled
        }
      return event(
        type, revision: delta.revision, at: delta.at, change.reportedState, by: delta.by
      ) {
        $0.decision(change)
        if change.status == .confirming || change.status == .confirmed {
          $0.taken(facts.inventory?.claim.claim)
        }
      }
    }
  }

  /// The event of an offer, and if holds are watched of a hold.
  private func holdEvent(of delta: Delta) -> FeedEvent? {
    guard let hold = delta.inventory?.hold else { return nil }
    let isWatched = origin.host.watched.contains(.holds)
    switch hold {
    case .has(let claim) where claim.state == .offered || claim.state == .held && isWatched:
      return event(
        claim.state == .offered ? .offered : .held, revision: delta.revision, at: delta.at,
        reportedState, by: delta.by
      ) {
        $0.taken(claim)
        guard let until = claim.until else { return }
        $0.literal(",\"until\":", until.rfc3339)
      }
    case .ended(let reason) where isWatched:
      return event(.holdEnded, revision: delta.revision, at: delta.at, reportedState, by: delta.by)
      {
        $0.literal(",\"reason\":", reason.rawValue)
      }
    case .has, .ended: return nil
    }
  }

  /// An event about a member; `nil` if members are not watched.
  ///
  /// - Parameter meta: JSON text of the token, for the host only.
  private func event(
    _ type: FeedEventType, _ member: Member, meta: String? = nil, at now: Instant
  ) -> FeedEvent? {
    guard origin.host.watched.contains(.members) else { return nil }
    // A member gets another number each time that it joins or rejoins.
    return event(
      type, revision: revision, discriminator: "\(member.number)", at: now, reportedState
    ) {
      $0.literal(",\"member\":{\"id\":", member.id.text)
      $0.literal(",\"name\":", member.name)
      $0.literal(",\"role\":", member.role.rawValue)
      if let subject = member.subject { $0.literal(",\"subject\":", subject) }
      if let info = member.info {
        $0.literal(",\"info\":")
        $0.raw(info)
      }
      if let meta {
        $0.literal(",\"meta\":")
        $0.raw(meta)
      }
      $0.literal("}")
    }
  }

  private func event(
    _ type: FeedEventType, revision: Int, discriminator: String = "", at now: Instant,
    _ state: ReportedState, by member: MemberID? = nil,
    _ more: (inout JSONWriter) -> Void = { _ in }
  ) -> FeedEvent {
    let result = reported(state.result, status: state.status)
    func data(hasResult: Bool) -> [UInt8] {
      var writer = JSONWriter(capacity: 512)
      writeOrigin(revision: revision, to: &writer)
      writer.literal(",\"status\":", state.status.rawValue)
      writer.literal(",\"result\":")
      if hasResult {
        result.write(to: &writer, data: state.data)
      } else {
        writer.literal("null")
      }
      if !hasResult { writer.literal(",\"resultOmitted\":true") }
      if let member { write(by: member, to: &writer) }
      more(&writer)
      writer.literal("}")
      return writer.bytes
    }
    var bytes = data(hasResult: true)
    if bytes.count > FeedEvent.dataByteCountMax { bytes = data(hasResult: false) }
    return FeedEvent(
      type, of: origin, revision: revision, discriminator: discriminator, timestamp: now,
      data: bytes)
  }

  /// A result as the readers of the feed and of the list of sessions see it.
  package func reported(_ result: PickerResult, status: SessionStatus) -> PickerResult {
    // Without keys, everybody can read the feed.
    sight(of: nil, seesAll: origin.access == .keys).seen(result, status: status)
  }

  private func writeOrigin(revision: Int, to writer: inout JSONWriter) {
    writer.literal("{\"session\":", origin.id.text)
    writer.literal(",\"epoch\":", origin.epoch)
    writer.literal(",\"revision\":", revision)
    if let external = origin.host.external { writer.literal(",\"external\":", external) }
    if let title = origin.title { writer.literal(",\"title\":", title.tree) }
    if let meta = origin.host.meta {
      writer.literal(",\"meta\":")
      writer.verbatim(meta)
    }
  }

  private func write(by member: MemberID, to writer: inout JSONWriter) {
    writer.literal(",\"by\":{\"member\":", member.text)
    if let subject = members[member]?.subject { writer.literal(",\"subject\":", subject) }
    writer.literal("}")
  }
}

extension Effect {
  /// Whether ``SessionFold/events(of:at:)`` may return an event for it.
  var canHaveEvent: Bool {
    switch self {
    case .answered, .cellsChanged, .roleChanged, .renamed, .revoked, .sightChanged,
      .presence:
      false
    case .delta(let delta): delta.isReported
    case .joined, .left, .resultReported, .settled, .definitionRejected: true
    }
  }
}

extension Delta {
  /// Whether the feed reports it.
  fileprivate var isReported: Bool {
    switch change {
    case .picker, .notes, .inventory: hasHold
    case .definition(let redefinition, _, tappedBy: _): redefinition.isAnnounced || hasHold
    case .status: true
    }
  }

  private var hasHold: Bool { inventory?.hasHold ?? false
  }
}

extension JSONWriter {
  /// `,"uses":{"name","version"},"pointer","detail"` of a version that is not valid.
  fileprivate mutating func rejection(
    of version: Int, _ name: String?, _ problem: DefinitionProblem
  ) {
    literal(",\"uses\":{\"name\":", name.map(SharedDefinition.givenName) ?? "")
    literal(",\"version\":", version)
    literal("},\"pointer\":", String(problem.pointer.prefix(1000)))
    literal(",\"detail\":", String(problem.detail.prefix(1000)))
  }

  /// `,"op"`, `"until"`, `"reason"`, `"detail"` and `"data"` of a status that the host decides or
  /// decided. The data of a grant is in the result.
  fileprivate mutating func decision(_ change: StatusChange) {
    if let op = change.op ?? change.settle?.op { literal(",\"op\":", op) }
    if let until = change.until { literal(",\"until\":", until.rfc3339) }
    if let reason = change.reason { literal(",\"reason\":", reason.rawValue) }
    if let text = change.text {
      words(text, named: change.status == .cancelled ? "reason" : "detail")
    }
    guard let settle = change.settle, !settle.isGranted else { return }
    if let reason = settle.reason { words(reason, named: "detail") }
    data(of: settle)
  }

  /// A text of the host as it was given, unless it is too long for an event.
  private mutating func words(_ text: Note.Text, named name: String) {
    let json = text.tree.serialized()
    guard json.count <= FeedEvent.detailByteCountMax else { return }
    literal(",\"")
    raw(name)
    literal("\":")
    raw(json)
  }

  /// `,"units":…,"keys":[…]` of what is taken.
  fileprivate mutating func taken(_ claim: Claim?) {
    guard let claim else { return }
    literal(",\"units\":", claim.units)
    literal(",\"keys\":", .array(claim.keys.map(JSONTree.string)))
  }

  fileprivate mutating func data(of settle: Settle) {
    guard let data = settle.data else { return }
    literal(",\"data\":")
    verbatim(data)
  }
}
