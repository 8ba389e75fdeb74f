import CivilTime
package import JSONText
package import PickerModel
package import PickerSession
import PickerWire

/// The reason for refusing an HTTP request about sessions. The request has changed nothing.
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
package enum HubProblem: Error, Hashable, Sendable {
  case badRequest(String)
  case badDefinition(DefinitionProblem)
  /// A body is invalid at a place of it.
  case badBody(DefinitionProblem)
  /// The session refuses a change, which has changed nothing.
  case refused(Refusal)
  case noToken
  case badToken
  case notAllowed(String)
  case noSuchSession
  /// There is no shared definition of the name.
  case noSuchDefinition
  /// Sessions use the shared definition.
  case inUse
  /// The member of a posted command is unknown, or left before the command was applied.
  case noSuchMember
  case wrongSecret
  /// Only a calendar has months.
  case wrongKind(String)
  case outsideMonths(String)
  /// The picker has no complete result now.
  case notComplete
  case tooLarge(String)
  /// More changes of the host in a second than allowed.
  case tooMany
  /// `If-Match` does not contain the current version, which is this one.
  case versionMismatch(Int)
  /// A JSON Patch does not fit the document.
  case patchFailed(String)
  /// Something else was first to decide on a confirmation.
  case tooLate(CurrentDecision)
  /// The session never had this confirmation.
  case noSuchOp
  /// A living session has the external id.
  case externalTaken(SessionID)
  /// The idempotency key was used with another body.
  case keyReused
  /// The server has reached its maximum of sessions, or of their memory.
  case full
  /// The session has reached its maximum of members or event streams.
  case sessionFull
  /// The session has the maximum number of roles that the host has given.
  case rolesFull
  /// The session's log has reached its maximum size.
  case logFull
  /// The store of all sessions has reached its maximum size.
  case storeFull
  case unavailable
}

/// The HTTP requests about sessions. Each `answer` is called exactly once: at once, or when the log
/// has stored what it must.
extension Hub {
  /// Makes a definition, or returns the equal one that sessions in memory have.
  ///
  /// A known definition is used only if it makes a picker now. If it does not (all its dates have
  /// passed), it is made again, because that throws the problem with its pointer.
  func define(
    _ tree: JSONTree, _ prepared: PreparedDefinition? = nil
  ) throws(DefinitionProblem) -> Definition {
    let digest = prepared?.digest ?? identities.digest(of: tree.serialized())
    if let known = definitions[digest], (try? Picker(known, now: now.session)) != nil {
      return known
    }
    if let prepared {
      let definition = try prepared.made.get()
      definitions.insert(definition, digest: digest)
      return definition
    }
    let definition = try Definition.make(
      from: tree, limits: configuration.definitionLimits, now: now.session
    ) { name in
      zones.rules(named: name)
    }
    definitions.insert(definition, digest: digest)
    return definition
  }

  /// The response to a check of a definition: the picker that it would make now.
  package func check(
    _ tree: JSONTree, definition prepared: PreparedDefinition? = nil, at time: HubTime
  ) throws(DefinitionProblem) -> [UInt8] {
    now = time
    let definition = try define(tree, prepared)
    let picker = try Picker(definition, now: time.session)
    let texts = languages.texts(for: nil, fallback: definition.locale)
    return HTTPDocument.check(picker, texts: texts, windowRows: limits.session.windowRows)
  }

  /// Answers the current state of a session as JSON.
  ///
  /// - Parameters:
  ///   - token: The token of the `Authorization` header.
  ///   - locale: The language of the texts; the definition's if `nil` or unknown.
  ///   - timeZone: The zone of the times of an `availability`; `nil` or unknown: the
  ///     definition's.
  ///   - isFull: Whether to include the nodes or columns of the definition.
  ///   - isByName: Whether the request names the session by its external id, so that it cannot be
  ///     passed on to the node that owns the session.
  ///   - eventLink: The URL of the session's event.
  package func read(
    _ id: SessionID, token: Credential?, locale: String?, timeZone: String? = nil, isFull: Bool,
    isByName: Bool = false, eventLink: @escaping () -> String = { "" }, at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    let read = { [unowned self] (session: Session) in
      let (fold, online) = (session.fold, session.onlineMembers)
      let texts = languages.texts(for: locale, fallback: fold.definition.locale)
      let links = links(to: fold, tag: texts.noteTag, ics: eventLink)
      let windowRows = limits.session.windowRows
      let seesAll = admission.allowsChange(token, of: session)
      let sight = fold.sight(
        of: nil, seesAll: admission.seesMarks(token, of: session),
        zone: cellZone(timeZone, of: fold.definition))
      let encode: @Sendable () -> [UInt8] = {
        HTTPDocument.session(
          fold, online: online, isFull: isFull, seesAll: seesAll, sight: sight, links: links,
          texts: texts, windowRows: windowRows)
      }
      let weight =
        fold.definition.weight + fold.notes.days.count + fold.notes.rowCount
        + fold.picker.marksByteCount / 512
      guard weight > DefinitionRevision.weightOnLoop else { return answer(.success(encode())) }
      port.inBackground(encode) { answer(.success($0)) }
    }
    find(
      id, token: token, needs: .viewer, at: time,
      failure: { [unowned self] problem in
        guard isByName, problem == .unavailable, lookups.isElsewhere(id, at: now.machine) else {
          return answer(.failure(problem))
        }
        readElsewhere(id, token: token, answer: answer, read)
      }, body: { read($0.session) })
  }

  /// Reads a session that another node owns from the log. Its members look as if they were offline.
  private func readElsewhere(
    _ id: SessionID, token: Credential?,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void, _ read: @escaping (Session) -> Void
  ) {
    nonisolated(unsafe) let (hub, answer, read) = (self, answer, read)
    log.describe(id, limits: limits.session, hub: shard.index) { fold in
      guard let fold else { return answer(.failure(hub.absence(of: id))) }
      let session = Session(fold.brought(to: hub.now.session))
      do throws(HubProblem) {
        try hub.admission.admit(token, to: session, needs: .viewer)
      } catch {
        return answer(.failure(error))
      }
      read(session)
    }
  }

  /// Ends a session.
  package func delete(
    _ id: SessionID, token: Credential?, at time: HubTime,
    answer: @escaping (Result<Void, HubProblem>) -> Void
  ) {
    find(
      id, token: token, needs: .owner, isDeletion: true, at: time,
      failure: { answer(.failure($0)) }
    ) { [unowned self] hosted in
      denyConfirmation(of: hosted)
      // The denial may have ended or unloaded the session: its log may be full or unavailable.
      guard hosted.phase == .open else {
        return answer(hosted.isEnding ? .success(()) : .failure(.unavailable))
      }
      // The end follows the denial, so that the feed reports both.
      enqueue(
        .request { [unowned self] hosted in
          guard let hosted else {
            return answer(mayExist(id) ? .failure(.unavailable) : .success(()))
          }
          end(hosted, .deleted, completion: answer)
        }, in: hosted, at: now)
    }
  }

  /// Ends a session: from now on the hub applies and answers nothing. When the log has stored the
  /// end, the connections are closed. The event has the state of now, without pending entries.
  func end(
    _ hosted: HostedSession, _ reason: SessionEnd,
    completion: @escaping (Result<Void, HubProblem>) -> Void
  ) {
    let event = hosted.session.endEvent(reason, at: now.session)
    switch log.append(.ended(event), of: hosted.id) {
    case .failed, .full, .storeFull, .exhausted: completion(.failure(.unavailable))
    case .stored where hosted.steps.isEmpty:
      directory.end(hosted, reason)
      remove(hosted)
      completion(.success(()))
    case .stored, .pending:
      directory.end(hosted, reason)
      hosted.steps.append(
        .end { isStored in completion(isStored ? .success(()) : .failure(.unavailable)) })
    }
  }

  /// Removes a session whose end is stored, and closes its connections.
  func remove(_ hosted: HostedSession) {
    directory.ended(hosted.id)
    freeState(of: hosted)
    if isShared { lookups.noteAbsence(of: hosted.id, at: now.machine) }
    for id in hosted.connectionsInOrder {
      guard let connection = connections[id] else { continue }
      close(connection, .sessionEnded, hosted.endDetail)
    }
    noteEnd()
  }

  /// Finds a session for a request: loads it if needed, checks the token, and applies a due tick.
  ///
  /// - Parameters:
  ///   - ticket: A valid ticket, which grants a viewer's rights without a token.
  ///   - isDeletion: See ``LoadWaiter/isDeletion``.
  ///   - failure: Called if there is no such session, or the token does not grant the role.
  ///   - body: Called when all earlier steps of the session have run.
  func find(
    _ id: SessionID, token: Credential?, ticket: Ticket? = nil, needs role: Role,
    isDeletion: Bool = false, at time: HubTime,
    failure: @escaping (HubProblem) -> Void, body: @escaping (HostedSession) -> Void
  ) {
    now = time
    guard mayExist(id), token?.mayName(id) ?? true else { return failure(.noSuchSession) }
    whenLoaded(id, isDeletion: isDeletion) { [unowned self] hosted in
      guard let hosted else { return failure(absence(of: id)) }
      do throws(HubProblem) {
        if hosted.isEnding { throw .noSuchSession }
        try admission.admit(token, ticket, to: hosted.session, needs: role)
      } catch {
        return failure(error)
      }
      if hosted.steps.byteCount >= limits.queueBytes { return failure(.unavailable) }
      tickIfDue(hosted, at: now)
      enqueue(
        .request { [unowned self] hosted in
          guard let hosted else {
            return failure(absence(of: id))
          }
          do throws(HubProblem) {
            // A revocation may have been pending.
            if admission.hidesSessions {
              try admission.admit(token, ticket, to: hosted.session, needs: role)
            }
          } catch {
            return failure(error)
          }
          body(hosted)
        }, in: hosted, at: now)
    }
  }
}
