import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession

/// The definitions of the sessions that came back from a store, so that equal ones are one.
///
/// Each hub has its own: if two threads counted the references of one definition, every tap of one
/// would wait for the other's.
final class StoredDefinitions: @unchecked Sendable {
  private let zone: @Sendable (String) -> ZoneRules?
  private let digest: @Sendable ([UInt8]) -> [UInt8]
  /// By the numbers of the hubs.
  private var tables: [Int: DefinitionTable] = [:]

  init(
    zone: @escaping @Sendable (String) -> ZoneRules?,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.zone = zone
    self.digest = digest
  }

  /// Finds the definition of a session among those of its hub, or makes it.
  func definition(of origin: StoredOrigin, hub: Int) throws(StoredProblem) -> Definition {
    let digest = digest(origin.document)
    if let known = tables[hub]?[digest] { return known }
    let definition = try origin.makeDefinition(zone: zone)
    tables[hub, default: DefinitionTable()].insert(definition, digest: digest)
    return definition
  }

  /// Finds the definition with a document among those of a hub, or makes it.
  ///
  /// - Returns: `nil` for what no host can have given, or a zone that is gone.
  func definition(document: JSONTree, hub: Int) -> Definition? {
    let digest = digest(document.serialized())
    if let known = tables[hub]?[digest] { return known }
    guard let definition = Definition.stored(document, zone: zone) else { return nil }
    tables[hub, default: DefinitionTable()].insert(definition, digest: digest)
    return definition
  }

  /// Makes definitions that are in no table.
  func make(_ document: JSONTree) -> Definition? { Definition.stored(document, zone: zone) }
}

/// A stored origin, taken apart: its definition may be long, and need not be read if there is one
/// like it.
struct StoredOrigin {
  private let session: SessionID
  /// The definition's bytes, as JSON.
  let document: [UInt8]
  /// What else was written.
  let others: JSONTree

  /// - Throws: ``JSONError``, or ``StoredProblem`` for an origin without a definition.
  init(_ bytes: [UInt8], of session: SessionID) throws {
    var cursor = JSONCursor(depthMax: StoredOrigin.depthMax)
    var document: Range<Int>?
    var others: [JSONTree.Member] = []
    guard try cursor.open(UInt8(ascii: "{"), bytes.span) else {
      throw StoredProblem("the origin of session \(session) is empty")
    }
    repeat {
      let name = try cursor.readName(bytes.span)
      cursor.skipWhitespace(bytes.span)
      let start = cursor.offset
      if name == "definition", document == nil {
        try cursor.skipValue(bytes.span)
        document = start..<cursor.offset
      } else {
        others.append(JSONTree.Member(name, try cursor.readTree(bytes.span)))
      }
    } while try cursor.another(UInt8(ascii: "{"), bytes.span)
    try cursor.finish(bytes.span)
    guard let document else {
      throw StoredProblem("the origin of session \(session) has no definition")
    }
    self.session = session
    self.document = Array(bytes[document])
    self.others = .object(others)
  }

  /// Levels of an origin: enough for the deepest tree of nodes that is accepted.
  private static let depthMax = 128

  /// - Parameter zone: The rules of a zone by its name; `nil` for one that is not known any more.
  /// - Throws: ``StoredProblem`` for what no session was created with, or a zone that is gone.
  func makeDefinition(zone: (String) -> ZoneRules?) throws(StoredProblem) -> Definition {
    do {
      let tree = try JSONTree.parse(document, depthMax: StoredOrigin.depthMax)
      return try Definition.make(from: tree, limits: .unbounded, zone: zone)
    } catch let problem as DefinitionProblem {
      throw StoredProblem(
        "the definition of session \(session): \(problem.detail) at \(problem.pointer)")
    } catch {
      throw StoredProblem("the definition of session \(session) is no JSON: \(error)")
    }
  }
}

extension Definition {
  /// Makes a definition that was accepted once.
  static func stored(_ document: JSONTree, zone: (String) -> ZoneRules?) -> Definition? {
    try? make(from: document, limits: .unbounded, zone: zone)
  }
}

extension DefinitionLimits {
  /// What has been accepted once is not measured again: the limits may be lower by now.
  static var unbounded: DefinitionLimits {
    var limits = DefinitionLimits()
    limits.nodesMax = .max
    limits.monthsMax = .max
    limits.blockedMax = .max
    return limits
  }
}
