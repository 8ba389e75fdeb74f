import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerWire

/// The hosts of sessions: they change definitions and notes, and give commands, while members use
/// the pickers.
extension World {
  func actAsHost(of record: SessionRecord) {
    if profile.sells, !random.once(in: 3) { return actAsSeller() }
    if profile.sharesDefinitions, random.once(in: 3), let kind = record.definition["kind"]?.string {
      return changeShared(kind, for: record)
    }
    // Sometimes more changes per second than a session may have.
    let count = random.once(in: 30) ? 25 : 1
    for _ in 0..<count {
      if record.isAvailability, random.coin() {
        importMarks(into: record)
      } else if random.once(in: 3) {
        giveHostCommand(to: record)
      } else if random.once(in: 3) {
        changeNotes(of: record)
      } else if !profile.sells || random.once(in: 8) {
        // Others than the shared one have few keys that others want, too.
        changeDefinition(of: record)
      }
    }
  }

  // MARK: - Commands

  /// Gives a command of the host, often with a revision that is not the newest. A session with
  /// tokens has no host.
  private func giveHostCommand(to record: SessionRecord) {
    guard record.tokens.isEmpty, let fold = replicas[record.id]?.fold else { return }
    let revision = fold.revision
    let type = random.pick(["clear", "confirm", "confirm", "cancel", "reopen", "set"])
    var fields: [JSONTree.Member] = [.init("type", .string(type))]
    if type == "set" {
      fields.append(.init("result", fold.result == .null ? .object([]) : fold.result.tree))
    }
    if !random.once(in: 4) {
      fields.append(.init("at", .integer(max(0, revision - random.within(-1...2)))))
    }
    guard let request = try? CommandRequest(JSONTree.object(fields).serialized()) else {
      return breach("a well-formed command is accepted")
    }
    ask(record) { [self] time in
      hub.post(request, to: record.id, token: .key, locale: nil, at: time) {
        [unowned self] result in
        requestsUnanswered -= 1
        if case .failure(let problem) = result { checkRefusal(problem, of: record) }
      }
    }
  }

  // MARK: - Definitions

  /// - Parameter node: The node that receives the request; `nil`: any.
  func changeDefinition(of record: SessionRecord, at node: Node? = nil) {
    let (format, body) = randomChange(of: record)
    let isExpecting = random.once(in: 8)
    let request = DocumentRequest(
      format: format, body: body,
      versions: isExpecting ? .oneOf(["\"\(random.within(1...5))\""]) : nil, valuesMax: 100_000)
    ask(record, at: node) { [self] time in
      hub.begin { host throws(HubProblem) in
        try await host.change(
          .definition, of: record.id, request, token: record.credential("owner"), at: time)
      } answer: {
        [unowned self] result in
        requestsUnanswered -= 1
        switch result {
        case .success(let answer): check(answer, to: request, record)
        case .failure(.badDefinition), .failure(.badRequest), .failure(.patchFailed),
          .failure(.tooLarge):
          break
        case .failure(.versionMismatch) where isExpecting: break
        case .failure(let problem): checkRefusal(problem, of: record)
        }
      }
    }
  }

  /// Checks that the refusal of a host's request is justified.
  func checkRefusal(_ problem: HubProblem, of record: SessionRecord) {
    let isEnded = record.isEnded || hub.isEnding(record.id)
    let isJustified =
      switch problem {
      case .tooMany: true
      case .full: profile.isMemoryShort
      case .noMemory: profile.isMemoryShort
      case .unavailable:
        failureCount > 0 || isEnded || profile.isMemoryShort || profile.isClustered
      case .noSuchSession: isEnded || failureCount > 0
      default: false
      }
    if !isJustified { breach("a host can change a session: \(problem)") }
  }

  private func check(
    _ answer: DocumentAnswer, to request: DocumentRequest, _ record: SessionRecord
  ) {
    guard let replica = replicas[record.id] else { return breach("what is changed is in the log") }
    let revision = (try? JSONTree.parse(answer.body))?["revision"]?.integer
    record.note(shown: revision, in: replica.fold.origin.epoch)
    do throws(ProtocolBreach) {
      let expected = try check(answer, replica)
      guard case .whole = request.format, let tree = try? JSONTree.parse(request.body()),
        let wanted = try? Definition.make(
          from: tree, limits: DefinitionLimits(), now: clock.session,
          zone: { zones.rules(named: $0) })
      else { return }
      let document = wanted.document(full: true, isExplicit: true)
      guard document.isSameValue(as: expected.definition.document(full: true, isExplicit: true))
      else { throw ProtocolBreach("a session has the definition of its host") }
    } catch {
      breach("\(error.sentence): \(String(decoding: answer.body.prefix(600), as: UTF8.self))")
    }
  }

  /// - Returns: The state at the revision of the response.
  private func check(
    _ answer: DocumentAnswer, _ replica: Replica
  ) throws(ProtocolBreach) -> Replica.Truth {
    guard let tree = try? JSONTree.parse(answer.body) else {
      throw ProtocolBreach("the response to a change is JSON")
    }
    try tree.has(["revision", "version", "changes"])
    let revision = try tree.number("revision")
    guard let expected = replica.truths[revision] else {
      throw ProtocolBreach("a change is answered with its revision")
    }
    guard try tree.number("version") == expected.version, answer.version == expected.version else {
      throw ProtocolBreach("a change is answered with its version, \(expected.version)")
    }
    let isHosts =
      switch replica.deltas.indices.contains(revision - 1)
        ? replica.deltas[revision - 1].change : nil
      {
      case .definition, .notes: true
      case .picker, .status, .inventory, nil: false
      }
    let isUnchanged = try tree.list("changes").isEmpty
    guard isHosts || isUnchanged else {
      throw ProtocolBreach("the revision of a response is that of the host's change")
    }
    return expected
  }

  // MARK: - Notes

  private func changeNotes(of record: SessionRecord) {
    let patch = randomNotes(of: record)
    let request = DocumentRequest(
      format: .mergePatch, body: patch.serialized(), versions: nil, valuesMax: 100_000)
    ask(record) { [self] time in
      hub.begin { host throws(HubProblem) in
        try await host.change(
          .notes, of: record.id, request, token: record.credential("owner"), at: time)
      } answer: {
        [unowned self] result in
        requestsUnanswered -= 1
        switch result {
        case .success(let answer):
          guard let replica = replicas[record.id] else { return }
          do throws(ProtocolBreach) {
            _ = try check(answer, replica)
          } catch {
            breach("\(error.sentence): \(patch.shown)")
          }
        case .failure(.badRequest): break
        case .failure(let problem): checkRefusal(problem, of: record)
        }
      }
    }
  }

  /// Checks that `GET` returns notes that the session has had since the request.
  func readNotes(of record: SessionRecord) {
    guard replicas[record.id] != nil else { return }
    ask(record) { [self] time in
      replicas[record.id]?.requestNotes(isLate: profile.isStored)
      hub.begin { host throws(HubProblem) in
        try await host.read(.notes, of: record.id, token: record.credential("viewer"), at: time)
      } answer: {
        [unowned self] result in
        requestsUnanswered -= 1
        let body = try? result.get().body
        if replicas[record.id]?.receiveNotes(body) == false {
          breach("GET shows the notes: \(String(decoding: body?.prefix(600) ?? [], as: UTF8.self))")
        }
      }
    }
  }
}
