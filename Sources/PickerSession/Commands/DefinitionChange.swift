package import JSONText
package import PickerModel

/// A change of a session's definition by its host.
package struct DefinitionChange: Hashable, Sendable {
  /// The version of the new definition. The one from the creation of the session has version 1.
  package let version: Int
  package let definition: Definition
  package let source: Source
  /// A merge patch of the session's own part, if it has a shared definition: null there takes a
  /// field out of it. `nil` if the own part gets what ``source`` changes.
  package let own: JSONTree?
  /// A picker that was made to validate the definition; `nil` for a stored change. With it the days
  /// of a slot are not searched twice.
  let picker: Picker?
  /// For a log that stores whole definitions; `nil` if the log must encode it, or stores none.
  package let encoded: EncodedDefinition?

  /// What the log stores, from which a replay computes ``DefinitionChange/definition`` again.
  package enum Source: Hashable, Sendable {
    /// ``DefinitionChange/definition`` itself.
    case whole
    /// A JSON Merge Patch (RFC 7396) of the previous full document.
    case mergePatch(JSONTree)
  }

  package init(
    version: Int, definition: Definition, source: Source, own: JSONTree? = nil,
    picker: Picker? = nil, encoded: EncodedDefinition? = nil
  ) {
    self.version = version
    self.definition = definition
    self.source = source
    self.own = own
    self.picker = picker
    self.encoded = encoded
  }
}

extension DefinitionChange {
  /// Whether the definition stays the same, so that there is no revision: a value of the own part
  /// is that of the shared one.
  package var changesOwnPartOnly: Bool { own != nil && source == .mergePatch(.object([])) }
}

/// A definition in the form in which a log stores it. It is encoded by the thread that evaluates
/// the change, because the thread that writes the log does so for all sessions.
package struct EncodedDefinition: Hashable, Sendable {
  /// The full document.
  package let json: [UInt8]
  package let digest: [UInt8]

  package init(_ definition: Definition, digest: ([UInt8]) -> [UInt8]) {
    json = definition.fullJSON
    self.digest = digest(json)
  }
}

/// A definition in a snapshot. Two are equal if their documents are, unlike ``Definition``, which
/// compares identity.
package struct RetainedDefinition: Hashable, Sendable {
  package let definition: Definition

  package init(_ definition: Definition) { self.definition = definition }

  package static func == (left: RetainedDefinition, right: RetainedDefinition) -> Bool {
    left.definition === right.definition
      || left.definition.document(full: true) == right.definition.document(full: true)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(definition.kind) }
}

extension Definition {
  /// Whether both have the same values once defaults and keys are filled in. The order of object
  /// members does not matter.
  package func isSame(as other: Definition) -> Bool {
    self === other
      || document(full: true, isExplicit: true)
        .isSameValue(as: other.document(full: true, isExplicit: true))
  }
}
