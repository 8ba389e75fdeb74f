import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerWire
import WebSocketTransport

/// Requests with a definition in their body.
extension HubRoutes {
  /// `POST /v1/definitions/check`
  func check(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let valuesMax = hub.configuration.definitionLimits.bodyValuesMax
    let (body, definition) = try await read(call.request.body) { body throws(BadMessage) in
      let tree = try parseBody(body, fields: ["definition"], valuesMax: valuesMax)
      guard let definition = tree["definition"] else {
        throw BadMessage("definition is missing; it must be an object with the kind of picker")
      }
      return CheckRequest(definition: definition)
    }
    do throws(DefinitionProblem) {
      return HTTPResponse(
        json: try hub.host.check(body.definition, definition: definition, at: transport.now))
    } catch {
      throw ProblemDocument(.badDefinition(error))
    }
  }

  /// Parses a body. A large body is parsed on another thread, which also makes its definition.
  func read<Body: DefinitionBody>(
    _ body: HTTPBody, parse: @escaping @Sendable ([UInt8]) throws(BadMessage) -> Body
  ) async throws(ProblemDocument) -> (Body, PreparedDefinition?) {
    do throws(BadMessage) {
      guard case .large = body else { return (try parse(body.bytes), nil) }
      let (maker, now) = (hub.maker, transport.now.session)
      return try await answered { answer in
        transport.parseInBackground(body) { body in
          Result { () throws(BadMessage) in
            var parsed = try parse(body)
            if parsed.isPart { return (parsed, nil) }
            let definition = maker.prepare(parsed.definition, at: now)
            // Freed here, because freeing a large tree on the loop's thread would delay taps.
            parsed.definition = .null
            return (parsed, definition)
          }
        } then: { (result: Result<(Body, PreparedDefinition?), BadMessage>) in
          answer(result)
        }
      }.get()
    } catch {
      throw ProblemDocument(error)
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
