import CivilTime
import Foundation
import JSONText
import PickerModel
import PickerSession

/// The snapshots of a session, compared one by one as a replay reaches them.
struct ReplayedSnapshots {
  private var rest: ArraySlice<StoredSnapshot>
  private let versions: FoldVersions
  let count: Int
  /// The sequence number of the last snapshot that was reached.
  private(set) var sequence = 0
  private(set) var difference: ReplayDifference?
  /// Further remarks, as sentences.
  private(set) var remarks: [String] = []

  private let make: (JSONTree) -> Definition?

  init(
    _ rows: some SessionRows, _ versions: FoldVersions,
    make: @escaping (JSONTree) -> Definition?
  ) throws {
    self.make = make
    let all = try rows.snapshots(after: -1, through: .max)
    rest = all[...]
    count = all.count
    self.versions = versions
    if let last = all.last, last.isCompacted {
      remarks.append(
        "\(last.sequence - last.rowCount) of the first \(last.sequence) entries changed "
          + "nothing and were deleted; the refs of those commands come from the snapshot")
    }
  }

  /// Whether the replay has reached all of them.
  var isEmpty: Bool { rest.isEmpty }

  /// Compares the snapshots before an entry with the fold. After a compacted snapshot the replay
  /// continues from the snapshot, because the log does not contain all refs.
  mutating func pass(before entry: Int, _ replayer: inout Replayer) throws {
    while let snapshot = rest.first, snapshot.sequence < entry {
      rest.removeFirst()
      sequence = snapshot.sequence
      guard snapshot.rowCount == replayer.entryCount else {
        throw StoredProblem(
          "\(replayer.entryCount) instead of \(snapshot.rowCount) entries are stored up to entry "
            + "\(sequence) of session \(replayer.fold.origin.id)")
      }
      let state = try snapshot.state(of: replayer.fold.origin, make: make)
      compare(snapshot, state, with: replayer.fold)
      if snapshot.isCompacted || snapshot.replaces != nil { replayer.adopt(state) }
    }
  }

  private mutating func compare(
    _ snapshot: StoredSnapshot, _ state: SessionFold.StoredState, with fold: SessionFold
  ) {
    let what = "the snapshot after entry \(snapshot.sequence)"
    if let replaced = snapshot.replaces {
      remarks.append(
        "up to revision \(snapshot.revision) the session was served with \(replaced); it replays "
          + "differently with later versions, so it continued from \(what) under a new epoch")
      return
    }
    if difference != nil { return }
    var (stored, folded) = (state, fold.state)
    if snapshot.isCompacted {
      folded = fold.brought(to: state.picker.asOf).state
      (stored, folded) = (stored.withoutRefsAndNames, folded.withoutRefsAndNames)
    }
    (stored, folded) = (stored.withoutRefusalTexts, folded.withoutRefusalTexts)
    if stored == folded { return }
    difference =
      ReplayDifference(
        revision: fold.revision, what, stored: stored.tree, folded: folded.tree)
      ?? ReplayDifference(
        revision: fold.revision, detail: "\(what) differs from the replay")
    let other = snapshot.versions
    if versions.matter(for: fold.origin.definition, against: other) {
      remarks.append("\(what) was stored with \(other.text); this pickerd has \(versions.text)")
    }
  }
}

extension SessionFold.StoredState {
  /// The state without the refs and names of members, those that have left included.
  var withoutRefsAndNames: SessionFold.StoredState {
    withMembers { $0.with(name: "", RefBook()) }
  }

  /// The state without the details and params of refusals, which differ between versions.
  fileprivate var withoutRefusalTexts: SessionFold.StoredState {
    withMembers { $0.with(name: $0.name, $0.refs.withoutRefusalTexts) }
  }

  private func withMembers(_ changed: (Member) -> Member) -> SessionFold.StoredState {
    var state = self
    state.members = members.map(changed)
    state.remembered = RememberedMembers(remembered.members.map(changed))
    return state
  }
}

extension Member {
  fileprivate func with(name: String, _ refs: RefBook) -> Member {
    Member(
      id: id, number: number, secret: secret, name: name, color: color, role: role, refs: refs)
  }
}

extension RefBook {
  fileprivate var withoutRefusalTexts: RefBook {
    let entries = entries.map { entry in
      guard case .refused(let refusal) = entry.outcome else { return entry }
      return Entry(ref: entry.ref, outcome: .refused(Refusal(refusal.code, "")))
    }
    return RefBook(entries: entries, greatest: greatest)
  }
}
