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
  private let memory: (any MemoryAccount)?
  private let digest: @Sendable ([UInt8]) -> [UInt8]

  /// - Parameters:
  ///   - memory: Counts the definitions.
  ///   - digest: The same hash as the hub's ``IdentitySource`` has.
  package init(
    limits: DefinitionLimits, zones: any ZoneSource, memory: (any MemoryAccount)? = nil,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.limits = limits
    self.zones = zones
    self.memory = memory
    self.digest = digest
  }

  package func make(_ tree: JSONTree, at now: Instant) throws(DefinitionProblem) -> Definition {
    try Definition.make(from: tree, limits: limits, now: now, memory: memory) {
      zones.rules(named: $0)
    }
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
