import JSONText
import PickerModel

/// Applies a patch to a document as JSON Patch, as JSON Merge Patch and as a change of notes.
///
/// The bytes are `[document, patch, …]` in JSON; each patch applies to the result of the one before.
enum PatchesTarget {
  private static let limits: JSONPatchLimits = {
    var limits = JSONPatchLimits()
    limits.sizeMax = 65_536
    return limits
  }()

  static func run(_ input: [UInt8]) throws(FuzzFailure) {
    guard let parts = parts(of: input) else { return }
    var document = parts.document
    for patch in parts.patches {
      if let patched = try patched(document, by: patch) { document = patched }
      let merged = document.merging(patch)
      try check(merged)
      try require(merged.merging(patch) == merged, "a merge patch changes nothing again")
    }
    for kind in [PickerKind.calendar, .columns] { try change(notesOf: kind, by: parts.patches) }
  }

  /// How many patches of an input apply as JSON Patch or change notes.
  static func count(of input: [UInt8]) -> Int {
    guard let parts = parts(of: input) else { return 0 }
    return parts.patches.count { patch in
      (try? patched(parts.document, by: patch)) != nil
        || [PickerKind.calendar, .columns].contains { kind in
          (try? Notes().change(by: patch, for: kind))?.isEmpty == false
        }
    }
  }

  private static func parts(of input: [UInt8]) -> (document: JSONTree, patches: [JSONTree])? {
    guard let parts = (try? JSONTree.parse(input, depthMax: limits.depthMax))?.array,
      let document = parts.first
    else { return nil }
    return (document, Array(parts.dropFirst()))
  }

  /// - Returns: `nil` if the patch is malformed or does not apply.
  private static func patched(
    _ document: JSONTree, by patch: JSONTree
  ) throws(FuzzFailure) -> JSONTree? {
    guard let patched = try? JSONPatch(patch, limits: limits).apply(to: document) else {
      return nil
    }
    try check(patched)
    return patched
  }

  /// A patched document is read from its text: names are unique, and its depth has a limit.
  private static func check(_ tree: JSONTree) throws(FuzzFailure) {
    let text = tree.serialized()
    guard let again = try? JSONTree.parse(text, depthMax: limits.depthMax) else {
      throw FuzzFailure("a patched document is JSON: \(String(decoding: text, as: UTF8.self))")
    }
    try require(again.isSameValue(as: tree), "a patched document is encoded as it is")
  }

  private static func change(
    notesOf kind: PickerKind, by patches: [JSONTree]
  ) throws(FuzzFailure) {
    var notes = Notes()
    for patch in patches {
      guard let change = try? notes.change(by: patch, for: kind) else { continue }
      notes.apply(change)
      guard let again = try? notes.change(by: patch, for: kind) else {
        throw FuzzFailure("a change of notes is valid again")
      }
      try require(again.isEmpty, "a change of notes changes nothing again")
      var copy = Notes()
      guard let whole = try? copy.change(by: notes.tree, for: kind) else {
        throw FuzzFailure("notes are a change of no notes")
      }
      copy.apply(whole)
      try require(copy == notes, "notes are restored from their JSON")
    }
  }
}
