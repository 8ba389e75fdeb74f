import JSONText
import PickerHub
import PickerModel
import PickerSession
import SessionLog

/// Shared definitions: each kind of picker has one, which is named after it.
extension World {
  /// The fields of a creation that uses the shared definition of a kind; `nil` if there is none.
  func randomUse(of kind: String) -> [JSONTree.Member]? {
    guard profile.sharesDefinitions, profile.sells || random.coin(), newestShared[kind] != nil
    else { return nil }
    let own = random.once(in: profile.sells ? 12 : 3) ? randomMerge(kind) : .object([])
    return [.init("uses", .string(kind)), .init("definition", own)]
  }

  /// Changes the shared definition of a kind, and its notes.
  ///
  /// - Parameter record: A session of this kind, for the rows of notes.
  func changeShared(_ kind: String, for record: SessionRecord? = nil) {
    if profile.sells { return changeSale() }
    let former = newestShared[kind]
    var document = former?.document
    if former == nil || random.coin() {
      let tree = RandomDefinition.make(&random, today: today, kind: kind)
      guard let made = make(tree), (try? Picker(made, now: clock.session)) != nil else { return }
      document = made.document(full: true)
    }
    var notes = former?.notes ?? Notes()
    if let record, random.coin(), let picker = PickerKind(rawValue: kind),
      let change = try? notes.change(by: randomNotes(of: record), for: picker)
    {
      notes.apply(change)
    }
    guard let document else { return }
    let draft = SharedDraft(name: kind, document: document, notes: notes)
    nonisolated(unsafe) unowned let world = self
    nodes.first?.shared?.write(draft, replacing: former?.version) { outcome in
      switch outcome {
      case .done, .outdated: world.readShared(kind)
      case .unavailable: break
      default: world.breach("a shared definition can be changed: \(outcome)")
      }
    }
  }

  /// Reads the newest version of a shared definition.
  func readShared(_ kind: String) {
    nonisolated(unsafe) unowned let world = self
    nodes.first?.shared?.read(kind) { outcome in
      if case .found(let shared) = outcome { world.newestShared[kind] = shared }
    }
  }

  func make(_ tree: JSONTree) -> Definition? {
    try? Definition.make(from: tree, limits: DefinitionLimits(), now: clock.session) {
      zones.rules(named: $0)
    }
  }

  /// Checks that sessions in memory have got the newest version, unless it changes nothing.
  func checkFollowing() {
    for kind in newestShared.keys.sorted() { readShared(kind) }
    pass(seconds: 1)
    for record in records {
      guard let (hub, session) = resident(record.id), !hub.isEnding(record.id),
        case let fold = session.fold, let name = fold.origin.uses?.name, let state = fold.shared,
        let newest = newestShared[name],
        fold.status != .confirming, state.version != newest.version
      else { continue }
      let step = SharedStep(to: newest, from: fold.definition, fold.notes, state) {
        tree throws(DefinitionProblem) in
        try Definition.make(from: tree, now: clock.session) { zones.rules(named: $0) }
      }
      if step.change(after: fold.version, taking: fold.inventory?.settings) != nil {
        breach("a session follows its shared definition: \(state.version), \(newest.version)")
      }
    }
  }
}
