package import CivilTime
import JSONText
package import PickerHub
import PickerModel
package import PickerSession
import PickerWire

/// The request `PUT` or `PATCH /v1/definitions/{name}`, with the version that it changes. It can be
/// evaluated on any thread.
package struct SharedChange: Sendable {
  private let request: DefinitionRequest
  private let name: String
  /// `nil` if there is no definition of this name.
  private let current: SharedDefinition?
  private let maker: DefinitionMaker
  private let now: Instant

  package init(
    _ request: DefinitionRequest, name: String, current: SharedDefinition?,
    maker: DefinitionMaker, at now: Instant
  ) {
    (self.request, self.name, self.current) = (request, name, current)
    (self.maker, self.now) = (maker, now)
  }

  /// The version that the request wants.
  ///
  /// - Returns: `nil` if nothing changes.
  package func draft() throws(HubProblem) -> SharedDraft? {
    try request.checkSize()
    if let versions = request.versions, !versions.names(current?.version ?? 0) {
      throw .versionMismatch(current?.version ?? 0)
    }
    let tree = try document()
    guard tree.extent.valueCount <= request.valuesMax else {
      throw .tooLarge("the definition and its notes would have too many values")
    }
    for member in tree.members ?? [] where !["definition", "notes"].contains(member.key) {
      throw .badRequest(
        "the field \(member.key.quoted) is unknown; the fields are definition and notes")
    }
    guard let given = tree["definition"] else {
      throw .badRequest("definition is missing; it must be an object with the kind of picker")
    }
    let definition = try definition(given)
    let notes = try notes(tree["notes"] ?? .object([]), for: definition.kind)
    let document = definition.document(full: true)
    let isOther = current.map { !document.isSameValue(as: $0.document) } ?? false
    if let current, !isOther, notes == current.notes { return nil }
    return SharedDraft(name: name, document: document, notes: notes, isReported: isOther)
  }

  private func document() throws(HubProblem) -> JSONTree {
    switch request.format {
    case .whole:
      do throws(BadMessage) {
        return try parseBody(
          request.body(), fields: ["definition", "notes"], valuesMax: request.valuesMax)
      } catch {
        if error.isOfDefinition {
          let pointer = String((error.pointer ?? "").trimmingPrefix("/definition"))
          throw .badDefinition(DefinitionProblem(pointer: pointer, detail: error.detail))
        }
        throw .badRequest(error.detail)
      }
    case .mergePatch, .jsonPatch, .unknown:
      guard let current else { throw .noSuchDefinition }
      let patch = try request.read()
      guard case .jsonPatch = request.format else {
        guard patch.members != nil else { throw .badRequest("the patch must be an object") }
        return current.tree.merging(patch)
      }
      var limits = JSONPatchLimits()
      limits.valuesMax = request.valuesMax
      limits.stepsMax = 8_388_608
      do throws(JSONPatchProblem) {
        return try JSONPatch(patch, limits: limits).apply(to: current.tree)
      } catch {
        throw HubProblem(error)
      }
    }
  }

  private func definition(_ tree: JSONTree) throws(HubProblem) -> Definition {
    var tree = tree
    // As in a merge patch: the field has its default.
    if case .object(let members) = tree { tree = .object(members.filter { $0.value != .null }) }
    do throws(DefinitionProblem) {
      if let kind = current?.kind, let name = tree["kind"]?.string, name != kind.rawValue,
        PickerKind(rawValue: name) != nil
      {
        throw DefinitionProblem(
          pointer: "/kind", detail: "kind is \"\(name)\"; it must stay \"\(kind)\"")
      }
      let definition = try maker.make(tree, at: now)
      _ = try Picker(definition, now: now)
      return definition
    } catch {
      throw .badDefinition(error)
    }
  }

  private func notes(_ tree: JSONTree, for kind: PickerKind) throws(HubProblem) -> Notes {
    if tree == .null || !kind.hasNotes && isEmpty(tree) { return Notes() }
    do throws(BadNotes) {
      var notes = Notes()
      notes.apply(try notes.change(by: tree, for: kind))
      return notes
    } catch {
      throw .badRequest(error.detail)
    }
  }

  private func isEmpty(_ notes: JSONTree) -> Bool {
    notes.members?.allSatisfy { $0.value == .object([]) } ?? false
  }
}
