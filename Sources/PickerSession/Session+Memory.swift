package import PickerModel

/// The memory of a session. Definitions are counted by themselves, because sessions share them.
extension Session {
  /// The memory in bytes without definitions, an estimate that takes as long for every session.
  ///
  /// The amounts are rounded from measurements: a session without members takes 3 to 4 KB, a member
  /// 1 KB, the delta of a tap 400 to 600 bytes. The refs of members are not counted, because other
  /// limits bound them: a member is connected or leaves soon, and a tap adds one ref.
  package var byteCount: Int {
    // Reads single properties, because reading `fold` copies it.
    let memberCount = fold.members.count + fold.remembered.members.count
    let deltas = 512 * fold.history.count + Delta.weightBytes * fold.historyWeight
    let texts =
      fold.notes.byteCount + fold.origin.notes.byteCount + 4 * fold.decision.waitingByteCount
      + (fold.origin.host.meta?.text.utf8.count ?? 0)
    let marks = fold.picker.marksByteCount
    return 4096 + marks + 1024 * memberCount + fold.remembered.refByteCount + retiredRefByteCount
      + deltas
      + 128 * fold.undoList.count + texts
  }

  /// The definitions in use besides that of the creation: the current one, and the picker's if that
  /// is an older one.
  package var laterDefinitions: [Definition] {
    let (first, current, shown) = (
      fold.origin.definition, fold.definition, fold.picker.definition
    )
    var later: [Definition] = []
    if current != first { later.append(current) }
    if shown != current, shown != first { later.append(shown) }
    return later
  }
}
