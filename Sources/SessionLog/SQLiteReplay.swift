package import CivilTime
import Foundation
import GRDB
import JSONText
import PickerModel
package import PickerSession

/// Folds a session of a store again, from its creation, and compares its snapshots.
package enum SQLiteReplay {
  /// Reads a store, also while a server has it; nothing is written.
  ///
  /// - Parameters:
  ///   - revision: Whose state is wanted; `nil` for the last.
  ///   - limits: Those of the server: `undo` and `refs` are part of what commands do.
  ///   - zone: Zone rules by IANA name.
  ///   - each: Called with each entry, in order.
  /// - Throws: ``ReplayProblem`` if there is no such session or revision, or an entry cannot be
  ///   read.
  package static func replay(
    _ path: String, session: SessionID, at revision: Int?, limits: SessionLimits,
    zone: @escaping (String) -> ZoneRules?, each: @escaping (ReplayedEntry) -> Void
  ) throws(ReplayProblem) -> ReplayReport {
    let store: DatabaseQueue
    do throws(StoreProblem) {
      store = try SQLiteStoreFile.openForReading(path)
    } catch {
      throw ReplayProblem(.noInput, error.description)
    }
    do {
      return try store.read { database in
        try replay(
          database, path, session, at: revision, limits: limits, zone: zone, each: each)
      }
    } catch let problem as ReplayProblem {
      throw problem
    } catch let problem as StoredProblem {
      throw ReplayProblem(.badData, "\(path): \(problem)")
    } catch {
      throw ReplayProblem(.badData, "cannot read \(path): \(error.storeText)")
    }
  }

  private static func replay(
    _ database: Database, _ path: String, _ session: SessionID, at revision: Int?,
    limits: SessionLimits, zone: @escaping (String) -> ZoneRules?,
    each: @escaping (ReplayedEntry) -> Void
  ) throws -> ReplayReport {
    guard
      let row = try Row.fetchOne(
        database, sql: "SELECT number, epoch, origin, entryCount FROM session WHERE id = ?",
        arguments: [session.text])
    else {
      throw ReplayProblem(
        .noInput, "\(path) has no session \(session); one that has ended is not kept")
    }
    var (origin, limits) = try SQLiteReading.created(session, row, limits) { origin in
      try origin.makeDefinition(zone: zone)
    }
    let number: Int64 = row["number"]
    var snapshots = try Snapshots(of: number, database) { Definition.stored($0, zone: zone) }
    limits.history = 0
    var replayer = Replayer(try SessionFold(origin, limits: limits), at: revision, each: each)
    try snapshots.compare(with: replayer, of: session)

    let entries = try Row.fetchCursor(
      database, sql: "SELECT place, body FROM entry WHERE session = ? ORDER BY place",
      arguments: [number])
    while let row = try entries.next() {
      guard row["place"] == replayer.entryCount + 1 else {
        throw StoredProblem("entry \(replayer.entryCount + 1) of session \(session) is missing")
      }
      let entry = try SQLiteReading.entry(
        row["body"], of: session, after: replayer.fold.definition
      ) { Definition.stored($0, zone: zone) }
      _ = replayer.apply(entry)
      try snapshots.compare(with: replayer, of: session)
    }
    guard row["entryCount"] == replayer.entryCount, snapshots.isEmpty else {
      throw StoredProblem(
        "session \(session) has \(replayer.entryCount) of \(row["entryCount"] as Int) entries")
    }
    return ReplayReport(
      standing: try replayer.standing(of: "session \(session)"),
      lastRevision: replayer.fold.revision, entryCount: replayer.entryCount,
      comparedCount: snapshots.count, comparedNoun: "snapshot", knowsMembers: true,
      difference: snapshots.difference, remarks: [], isWhole: true)
  }

  /// The snapshots of a session, compared one by one as folding reaches their places.
  private struct Snapshots {
    private var rows: ArraySlice<(place: Int, body: Data)>
    let count: Int
    private(set) var difference: ReplayDifference?

    private let make: (JSONTree) -> Definition?

    init(
      of number: Int64, _ database: Database, make: @escaping (JSONTree) -> Definition?
    ) throws {
      self.make = make
      let all = try Row.fetchAll(
        database, sql: "SELECT place, body FROM snapshot WHERE session = ? ORDER BY place",
        arguments: [number])
      rows = all.map { (place: $0["place"], body: $0["body"]) }[...]
      count = all.count
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Compares the snapshot that was taken at this place, if one was.
    mutating func compare(with replayer: Replayer, of session: SessionID) throws {
      guard let next = rows.first, next.place == replayer.entryCount else { return }
      rows.removeFirst()
      if difference != nil { return }
      let tree = try JSONTree.parse([UInt8](next.body), depthMax: SQLiteReading.depthMax)
      let read = SessionFold.Kept(tree: tree, make: make)
      guard let stored = read?.made(under: replayer.fold.origin.definition).withoutRefusalTexts
      else {
        throw StoredProblem("a snapshot of session \(session) is not as pickerd writes it")
      }
      var folded = replayer.fold.kept.withoutRefusalTexts
      // An earlier version wrote the snapshot, which remembered nobody.
      if tree["remembered"] == nil { folded.remembered = RememberedMembers() }
      if stored == folded { return }
      let what = "the snapshot after entry \(next.place)"
      difference =
        ReplayDifference(
          revision: replayer.fold.revision, what, stored: stored.tree, folded: folded.tree)
        ?? ReplayDifference(
          revision: replayer.fold.revision, detail: "\(what) is not what folding makes")
    }
  }
}

extension SessionFold.Kept {
  /// The same without the details and params of refusals, which are of the version that wrote them.
  fileprivate var withoutRefusalTexts: SessionFold.Kept {
    var kept = self
    kept.members = kept.members.map(\.withoutRefusalTexts)
    kept.remembered = RememberedMembers(kept.remembered.members.map(\.withoutRefusalTexts))
    return kept
  }
}

extension Member {
  fileprivate var withoutRefusalTexts: Member {
    let entries = refs.entries.map { entry in
      guard case .refused(let refusal) = entry.outcome else { return entry }
      return RefBook.Entry(ref: entry.ref, outcome: .refused(Refusal(refusal.code, "")))
    }
    return Member(
      id: id, number: number, secret: secret, name: name, color: color, role: role,
      refs: RefBook(entries: entries, greatest: refs.greatest))
  }
}
