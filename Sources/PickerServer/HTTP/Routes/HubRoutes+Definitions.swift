import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerWire
import WebSocketTransport

/// Requests with a definition in their body.
extension HubRoutes {
  /// `POST /v1/definitions/check`
  func check(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    let valuesMax = hub.configuration.definitionLimits.bodyValuesMax
    try read(caller, call.request.body) { body throws(BadMessage) in
      let tree = try parseBody(body, fields: ["definition"], valuesMax: valuesMax)
      guard let definition = tree["definition"] else {
        throw BadMessage("definition is missing; it must be an object with the kind of picker")
      }
      return CheckRequest(definition: definition)
    } then: { [self] body, definition in
      do throws(DefinitionProblem) {
        let shown = try hub.host.check(body.definition, definition: definition, at: transport.now)
        answer(caller, 200, "application/json", shown)
      } catch {
        answer(caller, ProblemDocument(.badDefinition(error)))
      }
    }
  }

  /// Parses a body. A large body is parsed on another thread, which also makes its definition.
  func read<Body: DefinitionBody>(
    _ caller: Caller, _ body: HTTPBody,
    parse: @escaping @Sendable ([UInt8]) throws(BadMessage) -> Body,
    then: @escaping (Body, PreparedDefinition?) -> Void
  ) throws(ProblemDocument) {
    guard case .large = body else {
      let parsed: Body
      do throws(BadMessage) {
        parsed = try parse(body.bytes)
      } catch {
        throw ProblemDocument(error)
      }
      return then(parsed, nil)
    }
    let now = transport.now.session
    transport.parseInBackground(body) { [maker = hub.maker] body in
      Result { () throws(BadMessage) in
        var parsed = try parse(body)
        if parsed.isPart { return (parsed, nil) }
        let definition = maker.prepare(parsed.definition, at: now)
        // Freed here, because freeing a large tree on the loop's thread would delay taps.
        parsed.definition = .null
        return (parsed, definition)
      }
    } then: { [self] (result: Result<(Body, PreparedDefinition?), BadMessage>) in
      switch result {
      case .success(let (parsed, definition)): then(parsed, definition)
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }
}

/// A body with a definition.
protocol DefinitionBody: Sendable {
  var definition: JSONTree { get set }
  /// Whether the definition is only a part, which is merged over a shared one.
  var isPart: Bool { get }
}

extension DefinitionBody {
  var isPart: Bool { false }
}

private struct CheckRequest: DefinitionBody {
  var definition: JSONTree
}

extension ProblemDocument {
  init(_ problem: BadMessage) {
    self.init(
      status: problem.isOfDefinition ? 422 : 400,
      code: problem.isOfDefinition ? "badDefinition" : "badRequest",
      detail: problem.detail, pointer: problem.pointer)
  }
}
