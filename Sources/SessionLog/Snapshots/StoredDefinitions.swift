package import CivilTime
package import JSONText
package import PickerHub
package import PickerModel
import PickerSession
import Synchronization

/// The definitions of reloaded sessions. Sessions of one hub with equal definitions share an
/// object.
///
/// Hubs do not share definitions: atomic reference counting of one object by two threads would slow
/// down every tap. Callable on any thread.
final class StoredDefinitions: Sendable {
  let zone: @Sendable (String) -> ZoneRules?
  private let memory: (any MemoryAccount)?
  private let digest: @Sendable ([UInt8]) -> [UInt8]
  /// By the index of the hub.
  private let tables = Mutex<[Int: DefinitionTable]>([:])

  /// - Parameter memory: Counts the definitions.
  init(
    zone: @escaping @Sendable (String) -> ZoneRules?, memory: (any MemoryAccount)?,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.zone = zone
    self.memory = memory
    self.digest = digest
  }

  /// Finds the definition of a session among those of its hub, or makes a new one.
  func definition(of origin: StoredOrigin, hub: Int) throws(StoredProblem) -> Definition {
    let digest = digest(origin.document)
    if let known = known(digest, hub: hub) { return known }
    let definition = try origin.makeDefinition(memory: memory, zone: zone)
    insert(definition, digest: digest, hub: hub)
    return definition
  }

  /// Finds the definition with a document among those of a hub, or makes a new one.
  ///
  /// - Returns: `nil` if the document is invalid or its time zone unknown.
  func definition(document: JSONTree, hub: Int) -> Definition? {
    let digest = digest(document.serialized())
    if let known = known(digest, hub: hub) { return known }
    guard let definition = Definition.stored(document, memory: memory, zone: zone) else {
      return nil
    }
    insert(definition, digest: digest, hub: hub)
    return definition
  }

  /// As ``definition(document:hub:)``.
  ///
  /// - Throws: The problem of the document.
  func make(_ document: JSONTree, hub: Int) throws(DefinitionProblem) -> Definition {
    let digest = digest(document.serialized())
    if let known = known(digest, hub: hub) { return known }
    let definition = try Definition.make(
      from: document, limits: .unbounded, memory: memory, zone: zone)
    insert(definition, digest: digest, hub: hub)
    return definition
  }

  private func known(_ digest: [UInt8], hub: Int) -> Definition? {
    tables.withLock { $0[hub]?[digest] }
  }

  private func insert(_ definition: Definition, digest: [UInt8], hub: Int) {
    tables.withLock { $0[hub, default: DefinitionTable()].insert(definition, digest: digest) }
  }

  /// Makes a definition without the tables.
  func make(_ document: JSONTree) -> Definition? { Definition.stored(document, zone: zone) }
}

/// A stored origin with its definition as unparsed bytes: the definition may be large, and need not
/// be parsed if an equal one is in memory.
package struct StoredOrigin {
  private let session: SessionID
  /// The definition as JSON.
  let document: [UInt8]
  /// The other members.
  let others: JSONTree

  /// - Throws: ``JSONError``, or ``StoredProblem`` for an origin without a definition.
  init(_ bytes: [UInt8], of session: SessionID) throws {
    var cursor = JSONCursor(depthMax: StoredOrigin.depthMax)
    var document: Range<Int>?
    var others: [JSONTree.Member] = []
    guard try cursor.open(UInt8(ascii: "{"), bytes.span) else {
      throw StoredProblem("the origin of session \(session.shortened) is empty")
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
      throw StoredProblem("the origin of session \(session.shortened) has no definition")
    }
    self.session = session
    self.document = Array(bytes[document])
    self.others = .object(others)
  }

  /// The maximum nesting of an origin: enough for the deepest tree that is accepted.
  private static let depthMax = 128

  /// - Parameter zone: The rules of a zone by its name; `nil` if unknown.
  /// - Throws: ``StoredProblem`` if the document is invalid or its time zone unknown.
  package func makeDefinition(
    memory: (any MemoryAccount)? = nil, zone: (String) -> ZoneRules?
  ) throws(StoredProblem) -> Definition {
    do {
      let tree = try JSONTree.parse(document, depthMax: StoredOrigin.depthMax)
      return try Definition.make(from: tree, limits: .unbounded, memory: memory, zone: zone)
    } catch let problem as DefinitionProblem {
      throw StoredProblem(
        "the definition of session \(session.shortened): \(problem.detail) at \(problem.pointer)")
    } catch {
      throw StoredProblem("the definition of session \(session.shortened) is not JSON: \(error)")
    }
  }
}

extension Definition {
  /// Makes a definition from a document that was accepted before.
  package static func stored(
    _ document: JSONTree, memory: (any MemoryAccount)? = nil, zone: (String) -> ZoneRules?
  ) -> Definition? {
    try? make(from: document, limits: .unbounded, memory: memory, zone: zone)
  }
}

extension DefinitionLimits {
  /// No limits, for definitions that were accepted before: the limits may be lower now.
  static var unbounded: DefinitionLimits {
    var limits = DefinitionLimits()
    limits.nodesMax = .max
    limits.monthsMax = .max
    limits.blockedMax = .max
    return limits
  }
}
