package import JSONText
package import PickerModel

/// Another definition that the host gave a session, and what it sent.
package struct DefinitionChange: Hashable, Sendable {
  /// The version that it makes; the definition of the creation has 1.
  package let version: Int
  package let definition: Definition
  package let source: Source

  /// What turns the definition before, in full, into this one.
  package enum Source: Hashable, Sendable {
    /// The whole definition.
    case whole
    /// RFC 7396.
    case mergePatch(JSONTree)
    /// RFC 6902.
    case jsonPatch(JSONTree)
  }

  package init(version: Int, definition: Definition, source: Source) {
    self.version = version
    self.definition = definition
    self.source = source
  }
}

/// A definition as a snapshot stores it: equal to another one with an equal document.
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
  /// Whether both are the same once their defaults are filled in, in whatever order.
  package func isSame(as other: Definition) -> Bool {
    self === other
      || document(full: true, isExplicit: true)
        .isSameValue(as: other.document(full: true, isExplicit: true))
  }
}
