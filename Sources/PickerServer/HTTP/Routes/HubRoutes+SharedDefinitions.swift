import JSONText
import PickerHost
import PickerHub
import PickerSession
import SessionLog
import Synchronization
import WebSocketTransport

/// `GET`, `PUT`, `PATCH` and `DELETE /v1/definitions/{name}`.
/// - Source: web/guide/inventory.md, "One inventory for many sessions".
extension HubRoutes {
  func readShared(_ call: RoutedRequest) throws(ProblemDocument) {
    let name = try sharedName(call)
    let (caller, ifNoneMatch) = (call.caller, call.request.headers[.ifNoneMatch])
    read(name) { [self] outcome in
      switch outcome {
      case .found(let shared):
        transport.inBackground {
          DefinitionAnswer(version: shared.version, body: shared.tree.serialized())
        } then: { [self] in
          answer(caller, .success($0), ifNoneMatch: ifNoneMatch)
        }
      case .absent: answer(caller, ProblemDocument(HubProblem.noSuchDefinition))
      case .elsewhere, .unavailable, .unreadable:
        answer(caller, ProblemDocument(HubProblem.unavailable))
      }
    }
  }

  /// `PUT` and `PATCH`
  func changeShared(_ call: RoutedRequest) throws(ProblemDocument) {
    let name = try sharedName(call)
    guard store.sharedRates.count(name, at: transport.now.machine) else {
      throw ProblemDocument(HubProblem.tooMany)
    }
    let (caller, byteCount) = (call.caller, countBody(of: call.request))
    changeShared(name, change(of: call.request)) { [self] result in
      transport.countBody(-byteCount)
      switch result {
      case .success(let (version, isNew)):
        let body = JSONTree.object([
          .init("name", .string(SharedDefinition.givenName(name))),
          .init("version", .integer(version)),
        ]).serialized()
        answer(
          caller, .success(DefinitionAnswer(version: version, body: body)),
          status: isNew ? 201 : 200)
      case .failure(let problem): answer(caller, problem)
      }
    }
  }

  /// How often a change is evaluated: another one may come between.
  private static let attemptsMax = 8

  private func changeShared(
    _ name: String, _ request: DefinitionRequest, attempt: Int = 1,
    completion: @escaping (Result<(version: Int, isNew: Bool), ProblemDocument>) -> Void
  ) {
    read(name) { [self] outcome in
      let current: SharedDefinition?
      switch outcome {
      case .found(let shared): current = shared
      case .absent: current = nil
      case .elsewhere, .unavailable, .unreadable:
        return completion(.failure(ProblemDocument(HubProblem.unavailable)))
      }
      let change = SharedChange(
        request, name: name, current: current, maker: hub.maker, at: transport.now.session)
      transport.inBackground {
        Result { () throws(HubProblem) in try change.draft() }
      } then: { [self] (result: Result<SharedDraft?, HubProblem>) in
        switch result {
        case .success(nil):
          whenKnown(current) { completion(.success((current?.version ?? 0, false))) }
        case .failure(let problem): completion(.failure(ProblemDocument(problem)))
        case .success(let draft?):
          write(draft, replacing: current?.version) { [self] written in
            switch written {
            case .done(let version):
              whenKnown { completion(.success((version, current == nil))) }
            case .outdated where attempt < HubRoutes.attemptsMax:
              changeShared(name, request, attempt: attempt + 1, completion: completion)
            case .outdated, .absent, .inUse, .tooMany, .full, .unavailable:
              completion(.failure(ProblemDocument(written)))
            }
          }
        }
      }
    }
  }

  /// Waits until the hubs of this node know a version, so that an operation of the host that
  /// follows the answer counts after it.
  ///
  /// - Parameter shared: `nil` for a new version, which the store has posted to the hubs already.
  private func whenKnown(
    _ shared: SharedDefinition? = nil, completion: @escaping () -> Void
  ) {
    transport.group.ask(for: transport) { transport, reply in
      if let shared { transport.hub.changed(shared, at: transport.now) }
      reply(())
    } completion: { (_: [Void]) in
      completion()
    }
  }

  func deleteShared(_ call: RoutedRequest) throws(ProblemDocument) {
    let name = try sharedName(call)
    let (group, index, caller) = (transport.group, transport.index, call.caller)
    let versions = call.request.headers[.ifMatch].map(VersionMatch.init(header:))
    store.shared.remove(name, if: versions) { outcome in
      group.post(to: index) { transport in
        if case .done = outcome {
          transport.answer(caller, HTTPResponse(status: 204))
        } else {
          transport.answer(caller, ProblemDocument(outcome).response)
        }
      }
    }
  }

  private func read(
    _ name: String, completion: @escaping (LogLookup<SharedDefinition>) -> Void
  ) {
    let (group, index) = (transport.group, transport.index)
    // Only used on this loop's thread.
    nonisolated(unsafe) let completion = completion
    store.shared.read(name) { outcome in group.post(to: index) { _ in completion(outcome) } }
  }

  private func write(
    _ draft: SharedDraft, replacing version: Int?,
    completion: @escaping (SharedWriting) -> Void
  ) {
    let (group, index) = (transport.group, transport.index)
    // Only used on this loop's thread.
    nonisolated(unsafe) let completion = completion
    store.shared.write(draft, replacing: version) { outcome in
      group.post(to: index) { _ in completion(outcome) }
    }
  }

  private func sharedName(_ call: RoutedRequest) throws(ProblemDocument) -> String {
    if case .token = hub.configuration.authentication {
      throw ProblemDocument(
        HubProblem.notAllowed(
          "shared definitions need API keys (--auth keys:FILE): with --auth token nobody owns them")
      )
    }
    let name = call["name"]
    guard SharedDefinition.isName(name) else {
      throw badRequest(
        "the name of a shared definition has 1 to 64 letters, digits, -, _ and ., not . or ..")
    }
    return SharedDefinition.name(name, in: call.credential?.namespace)
  }
}

/// The changes of each shared definition in the current second.
final class SharedRates: Sendable {
  private static let countMax = 20
  private let state = Mutex<(second: Int64, counts: [String: Int])>((0, [:]))

  /// - Parameter now: Milliseconds.
  /// - Returns: `false` if there are more than allowed.
  func count(_ name: String, at now: Int64) -> Bool {
    state.withLock { state in
      if state.second != now / 1000 { state = (now / 1000, [:]) }
      state.counts[name, default: 0] += 1
      return state.counts[name, default: 0] <= SharedRates.countMax
    }
  }
}

extension ProblemDocument {
  fileprivate init(_ outcome: SharedWriting) {
    switch outcome {
    case .outdated(let version): self.init(HubProblem.versionMismatch(version))
    case .absent: self.init(HubProblem.noSuchDefinition)
    case .inUse: self.init(HubProblem.inUse)
    case .tooMany:
      self.init(
        status: 409, code: "tooManyDefinitions",
        detail: "there are \(SharedDefinition.countMax) shared definitions already; delete one")
    case .full: self.init(HubProblem.storeFull)
    case .unavailable, .done: self.init(HubProblem.unavailable)
    }
  }
}
