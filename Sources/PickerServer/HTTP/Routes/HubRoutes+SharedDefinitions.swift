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
  func readShared(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    guard let shared = try await shared(try sharedName(call)) else {
      throw ProblemDocument(HubProblem.noSuchDefinition)
    }
    let definition = await answered { answer in
      transport.inBackground {
        DefinitionAnswer(version: shared.version, body: shared.tree.serialized())
      } then: {
        answer($0)
      }
    }
    return HTTPResponse(definition, ifNoneMatch: call.request.headers[.ifNoneMatch])
  }

  /// `PUT` and `PATCH`
  func changeShared(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let name = try sharedName(call)
    guard store.sharedRates.count(name, at: transport.now.machine) else {
      throw ProblemDocument(HubProblem.tooMany)
    }
    let byteCount = countBody(of: call.request)
    defer { transport.countBody(-byteCount) }
    let (version, isNew) = try await change(name, change(of: call.request))
    let body = JSONTree.object([
      .init("name", .string(SharedDefinition.givenName(name))),
      .init("version", .integer(version)),
    ]).serialized()
    return HTTPResponse(
      DefinitionAnswer(version: version, body: body), status: isNew ? 201 : 200)
  }

  /// How often a change is evaluated: another one may come between.
  private static let attemptsMax = 8

  private func change(
    _ name: String, _ request: DefinitionRequest
  ) async throws(ProblemDocument) -> (version: Int, isNew: Bool) {
    var written = SharedWriting.unavailable
    for _ in 1...HubRoutes.attemptsMax {
      let current = try await shared(name)
      guard let draft = try await draft(request, name, current) else {
        await hubsKnow(current)
        return (current?.version ?? 0, false)
      }
      written = await fromAnyThread {
        store.shared.write(draft, replacing: current?.version, completion: $0)
      }
      switch written {
      case .done(let version):
        // The store has posted the new version to the hubs already.
        await hubsKnow(nil)
        return (version, current == nil)
      case .outdated: continue
      case .absent, .inUse, .tooMany, .full, .unavailable: throw ProblemDocument(written)
      }
    }
    throw ProblemDocument(written)
  }

  /// The version that a request wants; `nil` if nothing changes.
  private func draft(
    _ request: DefinitionRequest, _ name: String, _ current: SharedDefinition?
  ) async throws(ProblemDocument) -> SharedDraft? {
    let change = SharedChange(
      request, name: name, current: current, maker: hub.maker, at: transport.now.session)
    return try await host { _ throws(HubProblem) in
      try await answered { answer in
        transport.inBackground {
          Result { () throws(HubProblem) in try change.draft() }
        } then: {
          answer($0)
        }
      }.get()
    }
  }

  /// Waits until the hubs of this node know a version, so that an operation of the host that
  /// follows the answer counts after it.
  private func hubsKnow(_ shared: SharedDefinition?) async {
    _ = await fromAllLoops { transport in
      if let shared { transport.hub.changed(shared, at: transport.now) }
    }
  }

  func deleteShared(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let name = try sharedName(call)
    let versions = call.request.headers[.ifMatch].map(VersionMatch.init(header:))
    let outcome = await fromAnyThread { store.shared.remove(name, if: versions, completion: $0) }
    guard case .done = outcome else { throw ProblemDocument(outcome) }
    return HTTPResponse(status: 204)
  }

  /// - Returns: `nil` if there is no definition of this name.
  private func shared(_ name: String) async throws(ProblemDocument) -> SharedDefinition? {
    switch await fromAnyThread({ store.shared.read(name, completion: $0) }) {
    case .found(let shared): return shared
    case .absent: return nil
    case .elsewhere, .unavailable, .unreadable: throw ProblemDocument(HubProblem.unavailable)
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
