import Foundation
import FuzzTargets
import PickerSimulator
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

  @Test(arguments: readers)
  func `no input with a few changes fails`(target: FuzzTarget) throws {
    var changes = InputChanges(try Self.inputs(of: target).map(\.bytes))
    for _ in 0..<2000 {
      let input = changes.next()
      #expect(throws: Never.self, "\(String(decoding: input, as: UTF8.self))") {
        try target.run(input)
      }
    }
  }

  @Test func `half of the definitions in the corpus are valid, and a fortieth of the changed ones`()
    throws
  {
    let inputs = try Self.inputs(of: .definitions).map(\.bytes)
    #expect(inputs.count { FuzzTarget.makesPicker($0) } * 2 >= inputs.count)

    var changes = InputChanges(inputs)
    #expect((0..<400).count { _ in FuzzTarget.makesPicker(changes.next()) } >= 10)
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

/// Inputs with one or two changes each: a byte is inserted, or a part repeated, removed, or replaced
/// by one of another input. The same ones in each run; `make fuzz` has others without end.
private struct InputChanges {
  private let inputs: [[UInt8]]
  private var random = RandomSource(seed: 1)

  init(_ inputs: [[UInt8]]) { self.inputs = inputs }

  mutating func next() -> [UInt8] {
    var bytes = inputs[random.below(inputs.count)]
    for _ in 0...random.below(2) {
      let part = part(of: bytes)
      switch random.below(4) {
      case 0: bytes.insert(UInt8(random.below(256)), at: part.startIndex)
      case 1: bytes.insert(contentsOf: part, at: part.startIndex)
      case 2: bytes.removeSubrange(part.indices)
      default:
        let other = self.part(of: inputs[random.below(inputs.count)])
        bytes.replaceSubrange(part.indices, with: other)
      }
    }
    return bytes
  }

  /// At most 8 bytes.
  private mutating func part(of bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes[random.below(bytes.count + 1)...].prefix(random.below(9))
  }
}
