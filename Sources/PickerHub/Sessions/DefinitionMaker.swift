package import CivilTime
package import JSONText
package import PickerModel
package import PickerSession

/// The maximum of rows, or of notes, that are processed on the hub's thread: notes on 4,000 days
/// take a millisecond.
package let rowsOnLoop = 500

/// Makes definitions from their documents on any thread.
package struct DefinitionMaker: Sendable {
  private let limits: DefinitionLimits
  private let zones: any ZoneSource
  private let digest: @Sendable ([UInt8]) -> [UInt8]

  /// - Parameter digest: The same hash as the hub's ``IdentitySource`` has.
  package init(
    limits: DefinitionLimits, zones: any ZoneSource,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.limits = limits
    self.zones = zones
    self.digest = digest
  }

  package func make(_ tree: JSONTree, at now: Instant) throws(DefinitionProblem) -> Definition {
    try Definition.make(from: tree, limits: limits, now: now) { zones.rules(named: $0) }
  }

  /// Encodes a definition for the log.
  package func encode(_ definition: Definition) -> EncodedDefinition {
    EncodedDefinition(definition, digest: digest)
  }

  /// Makes a definition for `HostOperations.create`.
  package func prepare(_ tree: JSONTree, at now: Instant) -> PreparedDefinition {
    PreparedDefinition(
      digest: digest(tree.serialized()),
      made: Result { () throws(DefinitionProblem) in try make(tree, at: now) })
  }
}

/// A definition made by a ``DefinitionMaker``, or the problem of its document.
package struct PreparedDefinition: Sendable {
  /// The digest of its document.
  let digest: [UInt8]
  let made: Result<Definition, DefinitionProblem>
}
