package import CivilTime
package import JSONText
package import PickerModel
import PickerSession

/// Makes definitions from their documents on any thread: for documents that are too large for the
/// hub's thread.
package struct DefinitionMaker: Sendable {
  private let limits: DefinitionLimits
  private let zone: @Sendable (String) -> ZoneRules?
  private let digest: @Sendable ([UInt8]) -> [UInt8]

  /// - Parameters:
  ///   - limits: The hub's limits.
  ///   - zone: The rules of a zone by its name, the same as the hub's ``ZoneSource`` has.
  ///   - digest: The same hash as the hub's ``IdentitySource`` has.
  package init(
    limits: DefinitionLimits, zone: @escaping @Sendable (String) -> ZoneRules?,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.limits = limits
    self.zone = zone
    self.digest = digest
  }

  func make(_ tree: JSONTree, at now: Instant) throws(DefinitionProblem) -> Definition {
    try Definition.make(from: tree, limits: limits, now: now, zone: zone)
  }

  /// Encodes a definition for the log.
  func encode(_ definition: Definition) -> EncodedDefinition {
    EncodedDefinition(definition, digest: digest)
  }

  /// Makes a definition for `HostOperations.create`.
  package func prepare(_ tree: JSONTree, at now: Instant) -> PreparedDefinition {
    PreparedDefinition(
      digest: digest(tree.serialized()),
      made: Result { () throws(DefinitionProblem) in
        try Definition.make(from: tree, limits: limits, now: now, zone: zone)
      })
  }
}

/// A definition made by a ``DefinitionMaker``, or the problem of its document.
package struct PreparedDefinition: Sendable {
  /// The digest of its document.
  let digest: [UInt8]
  let made: Result<Definition, DefinitionProblem>
}
