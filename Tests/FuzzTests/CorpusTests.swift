import Foundation
import FuzzTargets
import Testing

/// Runs every committed input of the fuzzer, including those that once failed, in a debug build.
@Suite struct CorpusTests {
  /// The targets that read texts. Bytes of ``FuzzTarget/events`` are the choices of a world: a
  /// prefix is the same world with other choices at its end, of which `make sim` has any number.
  private static let readers: [FuzzTarget] = [.messages, .definitions, .patches]
  private static let corpus = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("fuzz/corpus")

  private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = corpus.appendingPathComponent(target.rawValue)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return try names.map { name in
      (name, [UInt8](try Data(contentsOf: folder.appendingPathComponent(name))))
    }
  }

  @Test(arguments: readers)
  func `no input fails`(target: FuzzTarget) throws {
    let inputs = try Self.inputs(of: target)
    #expect(inputs.count >= 10)
    for input in inputs {
      #expect(throws: Never.self, "\(input.name)") { try target.run(input.bytes) }
    }
  }

  @Test(arguments: readers)
  func `no prefix of an input fails`(target: FuzzTarget) throws {
    for input in try Self.inputs(of: target) {
      for count in stride(from: 0, to: input.bytes.count, by: 1 + input.bytes.count / 8) {
        #expect(throws: Never.self, "\(input.name), \(count) bytes") {
          try target.run(Array(input.bytes.prefix(count)))
        }
      }
    }
  }

  @Test func `at least half of the definitions in the corpus are valid`() throws {
    let inputs = try Self.inputs(of: .definitions)
    let count = inputs.count { FuzzTarget.makesPicker($0.bytes) }
    #expect(count * 2 >= inputs.count)
  }

  @Test func `each input of patches but those that once failed has one that applies`() throws {
    for input in try Self.inputs(of: .patches) where input.name.hasPrefix("golden") {
      #expect(FuzzTarget.count(ofPatches: input.bytes) > 0, "\(input.name)")
    }
  }

  @Test func `the events of the corpus fail nothing, and produce revisions and frames`() throws {
    let effects = try Self.inputs(of: .events).map { try FuzzTarget.effect(ofEvents: $0.bytes) }
    #expect(effects.count >= 10)
    #expect(effects.map(\.revisions).reduce(0, +) > 30)
    #expect(effects.map(\.frames).reduce(0, +) > 200)
  }
}
