package import JSONText
package import PickerModel
package import PickerSession
import PickerWire

/// The body of `PUT` or `PATCH …/definition`.
package struct DefinitionRequest: Sendable {
  package enum Format: Sendable {
    case whole, mergePatch, jsonPatch
    /// A media type that is no patch's.
    case unknown(String)
  }

  package let format: Format
  package let body: [UInt8]
  /// From `If-Match`; `nil` without the header.
  package let versions: VersionMatch?
  /// JSON values that the body may have.
  package let valuesMax: Int

  package init(format: Format, body: [UInt8], versions: VersionMatch?, valuesMax: Int) {
    self.format = format
    self.body = body
    self.versions = versions
    self.valuesMax = valuesMax
  }
}

/// The versions that `If-Match` names.
/// - Source: RFC 9110 section 13.1.1.
package enum VersionMatch: Hashable, Sendable {
  case any
  case oneOf([String])

  func names(_ version: Int) -> Bool {
    switch self {
    case .any: true
    case .oneOf(let tags): tags.contains("\"\(version)\"")
    }
  }
}

/// A definition, or what became of its change, as JSON.
package struct DefinitionAnswer: Sendable {
  package let version: Int
  package let body: [UInt8]
}

/// The host reads and changes a session's definition.
/// - Source: protocol.md, "The host changes the picker".
extension Hub {
  package func readDefinition(
    of id: SessionID, token: String?, at time: HubTime,
    answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .viewer, at: time, failure: { answer(.failure($0)) }) { hosted in
      let fold = hosted.session.fold
      let body = fold.definition.document(full: true).serialized()
      answer(.success(DefinitionAnswer(version: fold.version, body: body)))
    }
  }

  package func redefine(
    _ id: SessionID, _ request: DefinitionRequest, token: String?, at time: HubTime,
    answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .owner, at: time, failure: { answer(.failure($0)) }) {
      [unowned self] hosted in
      guard countHostChange(of: hosted) else { return answer(.failure(.tooMany)) }
      afterHostChanges(of: hosted, failure: { answer(.failure($0)) }) { [unowned self] hosted in
        do throws(HubProblem) {
          try redefine(hosted, request, answer: answer)
        } catch {
          answer(.failure(error))
        }
      }
    }
  }

  private func redefine(
    _ hosted: HostedSession, _ request: DefinitionRequest,
    answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) throws(HubProblem) {
    let fold = hosted.session.fold
    let change = try definitionChange(fold, request)
    if change.definition.isSame(as: fold.definition) {
      return answer(.success(unchanged(fold)))
    }
    try appendHostChange(.define(change), to: hosted, answer: answer)
  }

  /// What the request makes of the definition, checked as at creation.
  private func definitionChange(
    _ fold: SessionFold, _ request: DefinitionRequest
  ) throws(HubProblem) -> DefinitionChange {
    let tree = try request.read()
    if let versions = request.versions, !versions.names(fold.version) {
      throw .versionMismatch(fold.version)
    }
    let source: DefinitionChange.Source
    let document: JSONTree
    switch request.format {
    case .whole, .unknown: (source, document) = (.whole, tree)
    case .mergePatch:
      source = .mergePatch(tree)
      document = fold.definition.document(full: true).merging(tree)
    case .jsonPatch:
      source = .jsonPatch(tree)
      do throws(JSONPatchProblem) {
        document = try JSONPatch(tree).apply(to: fold.definition.document(full: true))
      } catch {
        throw HubProblem(error)
      }
    }
    let definition = try checked(document, fold)
    return DefinitionChange(version: fold.version + 1, definition: definition, source: source)
  }

  private func checked(
    _ document: JSONTree, _ fold: SessionFold
  ) throws(HubProblem) -> Definition {
    do throws(DefinitionProblem) {
      if let name = document["kind"]?.string, let kind = PickerKind(rawValue: name),
        kind != fold.definition.kind
      {
        throw DefinitionProblem(
          pointer: "/kind", detail: "kind is \"\(kind)\"; it must stay \"\(fold.definition.kind)\"")
      }
      let definition = try define(document)
      _ = try Picker(definition, now: now.session)
      return definition
    } catch {
      throw .badDefinition(error)
    }
  }

  func unchanged(_ fold: SessionFold) -> DefinitionAnswer {
    let body = HTTPDocument.changed(nil, fold, texts: EnglishTexts(), windowRows: 0)
    return DefinitionAnswer(version: fold.version, body: body)
  }
}

extension HubProblem {
  init(_ problem: JSONPatchProblem) {
    switch problem {
    case .malformed(let detail): self = .badRequest(detail)
    case .failed(let detail): self = .patchFailed(detail)
    case .tooLarge(let detail): self = .tooLarge(detail)
    }
  }
}
