package import CivilTime
package import JSONText
package import PickerModel

/// Makes definitions from their documents on any thread: for documents so large that the hub's
/// thread must not do it.
package struct DefinitionMaker: Sendable {
  private let limits: DefinitionLimits
  private let zone: @Sendable (String) -> ZoneRules?
  private let digest: @Sendable ([UInt8]) -> [UInt8]

  /// - Parameters:
  ///   - limits: Those of the hub.
  ///   - zone: The rules of a zone by its name, as the hub's zones have them.
  ///   - digest: The hash that the hub's identities use.
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

  package func prepare(_ tree: JSONTree, at now: Instant) -> PreparedDefinition {
    PreparedDefinition(
      digest: digest(tree.serialized()),
      made: Result { () throws(DefinitionProblem) in
        try Definition.make(from: tree, limits: limits, now: now, zone: zone)
      })
  }
}

/// A definition made by a ``DefinitionMaker``, or what is wrong with it.
package struct PreparedDefinition: Sendable {
  /// Of its document.
  let digest: [UInt8]
  let made: Result<Definition, DefinitionProblem>
}
