import CivilTime
import JSONText
import PickerModel
import PickerSession
import PickerWire

/// Encodes what happens in sessions, and delivers it to their listeners.
///
/// It owns the encoder and the languages, and a buffer of recipients that is empty between calls,
/// so that a tap does not allocate it. Sessions come as arguments and are only read. A call may
/// leave connections that the caller must close: see ``Connections/nextOverflowing()``.
final class FanOut {
  let encoder: MessageEncoder
  let languages: Languages
  private let connections: Connections
  private var recipients: [ConnectionID] = []
  /// Deltas, and those of ticks.
  private(set) var counters = HubCounters()
  /// The last snapshot, as long as it is being sent: many listeners may need the same.
  private var lastSnapshot: (key: SnapshotKey, at: Int64, frame: WeakFrame)?
  private var retainedSnapshot: Frame?
  /// Whether the last snapshot is retained although it has been sent: the next connection in turn
  /// may need the same, and each would encode it again.
  var retainsSnapshot = false {
    didSet { if !retainsSnapshot { retainedSnapshot = nil } }
  }

  /// What a snapshot depends on, beside the time.
  private struct SnapshotKey: Equatable {
    let session: ObjectIdentifier
    let revision: Int
    let presenceCount: Int
    let language: Int?
    let sight: Sight
  }

  private struct WeakFrame {
    weak var frame: Frame?
  }

  /// A delta that numbers cells anew has everybody's parts. If it is heavier than this for all
  /// listeners together, they get snapshots one after the other instead; a unit is about 190 bytes.
  private static let cellsWeightMax = 10_000
  /// A message that is longer, and has more bytes than these for all listeners together, is sent to
  /// one after the other.
  private static let (longByteCountMin, byteCountAtOnceMax) = (16_384, 1_048_576)
  /// For how long listeners get the same snapshot, which has a time, in milliseconds.
  private static let snapshotMilliseconds: Int64 = 1000

  init(_ encoder: MessageEncoder, _ languages: Languages, _ connections: Connections) {
    self.encoder = encoder
    self.languages = languages
    self.connections = connections
  }

  /// The copy of a delta that most listeners receive, and those of them whose outbox is idle.
  ///
  /// Not copyable, so that the array of recipients has one owner, and its memory is used again.
  struct SharedCopy: ~Copyable {
    fileprivate let frame: Frame
    fileprivate var recipients: [ConnectionID]
    /// The ``Connections/stopCount`` at which they were idle.
    fileprivate let stopCount: Int
    fileprivate let isOneToMany: Bool
  }

  /// Delivers a delta to all listeners. Those with the same language and view share the bytes of
  /// one copy.
  ///
  /// - Parameter author: The connection of the delta's member, if any. Not evaluated for a single
  ///   listener.
  /// - Returns: The listeners of the first copy whose outbox is idle. The caller has them posted to
  ///   together by ``post(_:at:)``, after all others.
  func broadcast(
    _ delta: Delta, in session: Session, at time: HubTime,
    author: @autoclosure () -> ConnectionID?
  ) -> SharedCopy? {
    counters.deltas += 1
    if delta.isTick { counters.ticks += 1 }
    if delta.weight &* session.listeners.count > FanOut.cellsWeightMax, delta.isRenumbering,
      delta.by == nil
    {
      replace(in: session)
      return nil
    }
    // By index: copying a listener would retain and release its member's name.
    let listeners = session.listeners
    if listeners.count == 1 {
      deliver(delta, toOnly: listeners, in: session, at: time)
      return nil
    }
    let author = author()
    var copies = DeltaCopies(delta, of: session, encoder, languages)
    var shared: Frame?
    var (sharedLanguage, sharedView) = (0, MonthView?.none)
    let stopCount = connections.stopCount
    var recipients: [ConnectionID] = []
    swap(&recipients, &self.recipients)
    let table = connections.table
    for index in listeners.indices {
      let (id, language) = (listeners[index].connection, listeners[index].language)
      let view = listeners[index].view
      // Most listeners get the copy of the first one.
      if shared != nil, language == sharedLanguage, copies.isPlain, author?.raw != id.raw,
        view?.count == sharedView?.count, view?.from == sharedView?.from, table.isIdle(id)
      {
        recipients.append(id)
        continue
      }
      guard let connection = table[id] else { continue }
      let sight = copies.isPlain ? nil : session.sight(of: listeners[index])
      if author?.raw == id.raw {
        deliver(
          copies.message(in: language, showing: view, sight, ref: delta.ref), delta,
          ref: delta.ref, to: connection, at: time)
        continue
      }
      let frame = copies.frame(in: language, showing: view, sight)
      if shared == nil { (shared, sharedLanguage, sharedView) = (frame, language, view) }
      if frame === shared, connection.sending.isIdle, !connection.isClosing {
        recipients.append(id)
      } else {
        connections.deliver(.updates(frame), to: connection, at: time)
      }
    }
    guard let shared else {
      self.recipients = recipients
      return nil
    }
    return SharedCopy(
      frame: shared, recipients: recipients, stopCount: stopCount,
      isOneToMany: session.hasManyListeners)
  }

  /// Sends a snapshot to each listener in its turn, in place of a delta.
  private func replace(in session: Session) {
    for listener in session.listeners {
      guard let connection = connections[listener.connection] else { continue }
      connections.replaceUpdates(of: connection)
    }
  }

  /// Posts the shared copy of a delta.
  ///
  /// If any connection was write-blocked or closed since ``broadcast(_:in:at:author:)``, a
  /// recipient may not be idle any more: then each is delivered to separately.
  func post(_ shared: consuming SharedCopy, at time: HubTime) {
    if shared.frame.count > FanOut.longByteCountMin,
      shared.frame.count &* shared.recipients.count > FanOut.byteCountAtOnceMax
    {
      for recipient in shared.recipients {
        guard let connection = connections[recipient] else { continue }
        connections.deliverInTurn(shared.frame, to: connection, at: time)
      }
    } else if connections.stopCount == shared.stopCount {
      connections.post(
        shared.frame, toAll: shared.recipients, isOneToMany: shared.isOneToMany)
    } else {
      for recipient in shared.recipients {
        guard let connection = connections[recipient] else { continue }
        connections.deliver(.updates(shared.frame), to: connection, at: time)
      }
    }
    shared.recipients.removeAll(keepingCapacity: true)
    swap(&recipients, &shared.recipients)
  }

  /// Delivers a delta to the only listener: without the table of copies.
  private func deliver(
    _ delta: Delta, toOnly listeners: [Listener], in session: Session, at time: HubTime
  ) {
    guard let connection = connections[listeners[0].connection] else { return }
    let ref = delta.isBy(listeners[0].member) ? delta.ref : nil
    let texts = languages[listeners[0].language]
    let view = listeners[0].view
    let bands =
      view == nil && !delta.hasDayNotes
      ? nil : encoder.viewPart(of: delta, in: session, view, texts: texts)
    let sight =
      session.fold.definition.results == nil ? .everything : session.sight(of: listeners[0])
    let message = encoder.message(of: delta, ref: ref, bands: bands, sight: sight, texts: texts)
    deliver(message, delta, ref: ref, to: connection, at: time)
  }

  /// Delivers a copy that has one recipient, without a frame unless it must wait.
  private func deliver(
    _ message: UnsafeRawBufferPointer, _ delta: Delta, ref: Int?, to connection: HubConnection,
    at time: HubTime
  ) {
    if connection.isClosing { return }
    let kind = FrameKind.delta(revision: delta.revision)
    if connection.sending.isIdle { return connections.post(message, kind, to: connection) }
    let frame = Frame(message, kind)
    connections.deliver(
      ref.map { .ownDelta(frame, ref: $0, revision: delta.revision) } ?? .updates(frame),
      to: connection, at: time)
  }

  /// Sends the months in view again to each listener whose view has a month with changed cells.
  func sendMonthsAgain(_ change: CellChange, in session: Session, at time: HubTime) {
    let locale = session.fold.definition.locale
    var copies = MonthCopies(change, locale: locale, encoder, languages)
    for listener in session.listeners {
      guard let view = listener.view, let connection = connections[listener.connection],
        let frame = copies.frame(in: listener.language, showing: view)
      else { continue }
      connections.deliver(.updates(frame), to: connection, at: time)
    }
  }

  /// Sends a snapshot to each listener that may see more or less than before.
  func sendSights(in session: Session, at time: HubTime) {
    guard session.fold.definition.results != nil else { return }
    for listener in session.listeners {
      guard let connection = connections[listener.connection], connection.needsSight else {
        continue
      }
      connection.needsSight = false
      let frame = encoder.snapshot(
        of: session, sight: session.sight(of: listener), texts: connection.texts,
        now: time.session)
      connections.deliver(.updates(frame), to: connection, at: time)
    }
  }

  /// Broadcasts updates of presence.
  ///
  /// - Returns: The number of bytes for all listeners together.
  func broadcast(_ encoded: EncodedPresence, in session: Session, at time: HubTime) -> Int {
    let frame = encoded.frame()
    var byteCount = 0
    for listener in session.listeners {
      guard let connection = connections[listener.connection] else { continue }
      let isMentioned = listener.member.map(encoded.mentions) ?? false
      guard let copy = isMentioned ? encoded.frame(for: listener.member) : frame else { continue }
      byteCount += copy.count
      connections.deliver(.updates(copy), to: connection, at: time)
    }
    return byteCount
  }
}

/// One connection.
extension FanOut {
  func send(
    _ answer: Answer, to connection: HubConnection, in session: Session, at time: HubTime
  ) {
    let frame = encode(answer, connection.texts, in: session)
    connections.deliver(.answer(frame, answer), to: connection, at: time)
  }

  func encode(_ answer: Answer, _ texts: any RowTexts, in session: Session) -> Frame {
    switch answer.body {
    case .reply(let revision): encoder.reply(ref: answer.ref, revision: revision)
    case .refused(let refusal, let correction):
      encoder.refused(ref: answer.ref, refusal, correction, in: session.fold, texts: texts)
    }
  }

  /// Sends a welcome, then the missed deltas, the months in view and the touches of others.
  ///
  /// Once a snapshot replaces the updates, no further delta is encoded: a history can have hundreds
  /// of megabytes, and a client can resume as often as it may join.
  func sendWelcome(
    _ connection: HubConnection, _ welcome: Frame, missed: ArraySlice<Delta>?,
    in session: Session, at time: HubTime
  ) {
    connections.deliver(.retained(welcome), to: connection, at: time)
    let listener = session.listeners.first { $0.connection == connection.id }
    let sight = listener.map(session.sight) ?? .everything
    for delta in missed ?? [] {
      let ref = delta.author.flatMap { $0.member == listener?.member ? $0.ref : nil }
      if !connection.sending.needsSnapshot {
        let message = self.message(delta, ref, sight, texts: connection.texts)
        connections.deliver(message, to: connection, at: time)
      } else if let ref {
        let reply = Answer(ref: ref, body: .reply(revision: delta.revision))
        connections.deliver(.lateAnswer(reply), to: connection, at: time)
      }
    }
    for frame in details(for: listener, connection, in: session) {
      connections.deliver(.updates(frame), to: connection, at: time)
    }
  }

  /// A missed delta; with its ref if it is of the member that resumes.
  private func message(
    _ delta: Delta, _ ref: Int?, _ sight: Sight, texts: any RowTexts
  ) -> Outbox.Waiting {
    let copy = encoder.frame(encoder.encode(delta, sight: sight, texts: texts), ref: ref)
    return ref.map { .ownDelta(copy, ref: $0, revision: delta.revision) } ?? .updates(copy)
  }

  /// Sends pending messages until the connection is write-blocked, and a snapshot in place of
  /// dropped updates.
  ///
  /// - Returns: The number of bytes.
  @discardableResult
  func flush(_ connection: HubConnection, in session: Session, at time: HubTime) -> Int {
    connections.flush(connection, at: time) {
      let listener = session.listeners.first { $0.connection == connection.id }
      return Connections.Replacement(
        snapshot: snapshot(for: listener, connection, in: session, at: time),
        details: details(for: listener, connection, in: session))
    } lateAnswer: { answer in
      encode(answer.late(at: session), connection.texts, in: session)
    }
  }

  /// The snapshot for a listener: the last one, if that was for an equal listener just now.
  private func snapshot(
    for listener: Listener?, _ connection: HubConnection, in session: Session, at time: HubTime
  ) -> Frame {
    let sight = listener.map(session.sight) ?? .everything
    let key = SnapshotKey(
      session: ObjectIdentifier(session), revision: session.fold.revision,
      presenceCount: session.presenceCount, language: listener?.language, sight: sight)
    if let lastSnapshot, lastSnapshot.key == key, let frame = lastSnapshot.frame.frame,
      time.machine - lastSnapshot.at < FanOut.snapshotMilliseconds
    {
      return frame
    }
    let frame = encoder.snapshot(
      of: session, sight: sight, texts: connection.texts, now: time.session)
    lastSnapshot = (key, time.machine, WeakFrame(frame: frame))
    if retainsSnapshot { retainedSnapshot = frame }
    return frame
  }

  /// What a listener needs after a welcome or a snapshot: the months in view and the touches.
  private func details(
    for listener: Listener?, _ connection: HubConnection, in session: Session
  ) -> [Frame] {
    var frames: [Frame] = []
    if let view = listener?.view {
      frames.append(encoder.months(view, in: session.fold, texts: connection.texts))
    }
    if let touches = encoder.touches(in: session, for: listener?.member) {
      frames.append(touches)
    }
    return frames
  }
}

extension Answer {
  /// The answer, to be sent after a snapshot: a reply has the snapshot's revision.
  fileprivate func late(at session: Session) -> Answer {
    switch body {
    case .reply: Answer(ref: ref, body: .reply(revision: session.fold.revision))
    case .refused: self
    }
  }
}

/// Performs the effects of a session. Each delivery may leave connections with too many pending
/// messages, which are closed right after it.
extension Hub {
  func perform(_ effects: [Effect], in hosted: HostedSession, at time: HubTime) {
    if hosted.isEnding { return }
    for effect in effects {
      switch effect {
      case .delta(let delta):
        let shared = fanOut.broadcast(
          delta, in: hosted.session, at: time,
          author: delta.by.flatMap { connection(of: $0, in: hosted) })
        closeOverflowing()
        if let shared = consume shared { fanOut.post(shared, at: time) }
      case .cellsChanged(let change):
        fanOut.sendMonthsAgain(change, in: hosted.session, at: time)
      case .answered(let member, let answer):
        guard let id = self.connection(of: member, in: hosted), let connection = connections[id],
          connection.isListening
        else { break }
        self.answer(connection, answer, in: hosted)
      case .joined, .resultReported, .settled, .definitionRejected: break
      case .revoked(let target): closeRevoked(target, in: hosted)
      case .roleChanged, .renamed, .left, .presence: broadcastPresence(in: hosted, at: time)
      case .sightChanged(let member): changeSight(of: member, in: hosted, at: time)
      }
      closeOverflowing()
    }
  }

  /// The connection of a delta's member, if it has one.
  private func connection(of member: MemberID, in hosted: HostedSession) -> ConnectionID? {
    if let author, author.hosted === hosted, author.member?.text.isExactly(member.text) == true {
      return author.id
    }
    return hosted.attendance.connection(of: member)
  }

  func answer(_ connection: HubConnection, _ answer: Answer, in hosted: HostedSession) {
    fanOut.send(answer, to: connection, in: hosted.session, at: now)
    closeOverflowing()
  }

  /// Broadcasts the presence updates, at most once in `presenceMilliseconds`, and less often if the
  /// last ones were large: if the last broadcast was more recent, a timer does it later.
  func broadcastPresence(in hosted: HostedSession, at time: HubTime) {
    let interval = limits.session.presenceMilliseconds
    switch hosted.presence.decide(at: time.machine, interval: interval) {
    case .now: break
    case .later(let due): return schedule.add(.presence(hosted.id), due: due)
    case .queued: return
    }
    let updates = hosted.session.takeUpdates()
    if updates.isEmpty { return }
    let encoded = EncodedPresence(updates, in: hosted.session)
    let byteCount = fanOut.broadcast(encoded, in: hosted.session, at: time)
    hosted.presence.broadcast(at: time.machine, byteCount: byteCount)
    fanOut.sendSights(in: hosted.session, at: time)
    closeOverflowing()
  }

  /// A member, or with `nil` everybody who is no owner, may see more or less. A member's role is
  /// sent with its presence, and the snapshot follows it.
  private func changeSight(of member: MemberID?, in hosted: HostedSession, at time: HubTime) {
    for listener in hosted.session.listeners {
      guard member == nil || listener.member == member,
        member != nil || !listener.seesAll && !hosted.isOwner(listener.member)
      else { continue }
      connections[listener.connection]?.needsSight = true
    }
    // Otherwise it follows the presence that waits.
    let isKnown = member.map { !hosted.session.updates.roleChanged.contains($0) } ?? true
    if isKnown { fanOut.sendSights(in: hosted.session, at: time) }
  }

  func deliver(_ message: Outbox.Waiting, _ connection: HubConnection) {
    connections.deliver(message, to: connection, at: now)
    closeOverflowing()
  }
}

extension HostedSession {
  fileprivate func isOwner(_ member: MemberID?) -> Bool {
    member.flatMap { session.role(of: $0) } == .owner
  }
}

/// The encoded copies of one delta. Listeners with the same language and view share one copy, so
/// that encoding does not cost more with more listeners.
struct DeltaCopies {
  private struct Key: Hashable {
    let language: Int
    let view: MonthView?
    /// `nil` where all see the same.
    let sight: Sight?
  }

  private struct Version: Hashable {
    let language: Int
    let sight: Sight?
  }

  /// What few deltas need, so that the others do not make and free it.
  private final class More {
    /// The delta without its view part in all but the first version.
    var encoded: [Version: EncodedDelta] = [:]
    /// The copies after the first: a few, and the others.
    var few: [(key: Key, frame: Frame)] = []
    var others: [Key: Frame] = [:]
    /// The bands of single months, empty if unchanged: views mostly overlap. Not of the first view,
    /// which is mostly the only one.
    var monthBands: [CivilMonth: [UInt8]] = [:]
  }

  /// The number of copies that are searched linearly before the dictionary is used; there are
  /// hardly ever more.
  private static let fewCount = 8

  private let delta: Delta
  private let session: Session
  private let encoder: MessageEncoder
  private let languages: Languages
  /// Whether the copies depend on the language, and whether they do on the view.
  private let hasTexts: Bool
  private let hasViews: Bool
  /// Whether all listeners see the same, as where no member has a part of its own.
  let isPlain: Bool
  /// Whether the copies depend on the listener's time zone.
  private let hasZones: Bool
  /// The delta without its view part, in the first language and for the first sight.
  private var encoded: EncodedDelta?
  private var (encodedLanguage, encodedSight) = (0, Sight?.none)
  /// The last copy returned: almost always also that of the next listener.
  private var last: Frame?
  private var (lastLanguage, lastView) = (0, MonthView?.none)
  private var lastSight: Sight?
  /// The first copy.
  private var first: Frame?
  private var (firstLanguage, firstView) = (0, MonthView?.none)
  private var firstSight: Sight?
  private var more: More?
  /// The last bands encoded. They have no texts, so they do not depend on the language, and the
  /// author mostly views the same months as the others.
  private var lastBands: (view: MonthView?, bytes: [UInt8])?
  /// About 100 bytes each. The bands of further months are encoded for each view.
  private static let monthCountMax = 4096

  init(
    _ delta: Delta, of session: Session, _ encoder: MessageEncoder, _ languages: Languages
  ) {
    self.delta = delta
    self.session = session
    self.encoder = encoder
    self.languages = languages
    hasTexts = delta.hasTexts
    hasViews = delta.change.ranges != nil || delta.hasDayNotes
    isPlain = session.fold.definition.results == nil
    hasZones = !isPlain && delta.hasZones
  }

  /// The copy for listeners with a language and a view. Equal arguments give the same object.
  ///
  /// - Parameter sight: `nil` if ``isPlain``.
  mutating func frame(in language: Int, showing view: MonthView?, _ sight: Sight?) -> Frame {
    if let last, isLast(language, view), isPlain || lastSight == sight { return last }
    let frame = frame(for: key(language, view, sight), language)
    (last, lastLanguage, lastView) = (frame, language, view)
    if !isPlain { lastSight = sight }
    return frame
  }

  private func isLast(_ language: Int, _ view: MonthView?) -> Bool {
    lastLanguage == language && lastView?.count == view?.count && lastView?.from == view?.from
  }

  private mutating func frame(for key: Key, _ language: Int) -> Frame {
    if let first, firstLanguage == key.language, firstView == key.view,
      isPlain || firstSight == key.sight
    {
      return first
    }
    if let more {
      for copy in more.few where copy.key == key { return copy.frame }
      if !more.others.isEmpty, let frame = more.others[key] { return frame }
    }
    let bands = bands(in: key.view, language)
    let frame = encoder.frame(encode(key, language), ref: nil, bands: bands)
    store(frame, for: key)
    return frame
  }

  /// The author's copy, which has the `ref` of its command, as of
  /// ``MessageEncoder/message(_:ref:bands:)``.
  mutating func message(
    in language: Int, showing view: MonthView?, _ sight: Sight?, ref: Int
  ) -> UnsafeRawBufferPointer {
    let key = key(language, view, sight)
    let bands = bands(in: key.view, language)
    return encoder.message(encode(key, language), ref: ref, bands: bands)
  }

  /// The key of a copy. It has a language only if the delta has texts, and a view only if the range
  /// or notes of days have changed.
  private func key(_ language: Int, _ view: MonthView?, _ sight: Sight?) -> Key {
    let texts = delta.hasNotes ? language : languages.withoutRegion(language)
    return Key(
      language: hasTexts ? texts : 0, view: hasViews ? view : nil,
      sight: sight.map(needed))
  }

  private mutating func makeMore() -> More {
    if let more { return more }
    let made = More()
    more = made
    return made
  }

  /// The part of a sight that the delta depends on.
  private func needed(_ sight: Sight) -> Sight {
    let isOwn = sight.member.map { delta.by == $0 || delta.hasPart(of: $0) } ?? false
    return Sight(sight.audience, isOwn ? sight.member : nil, zone: hasZones ? sight.zone : nil)
  }

  private mutating func store(_ frame: Frame, for key: Key) {
    if first == nil {
      (first, firstLanguage, firstView) = (frame, key.language, key.view)
      if !isPlain { firstSight = key.sight }
      return
    }
    let more = makeMore()
    if more.few.count < DeltaCopies.fewCount {
      more.few.append((key, frame))
    } else {
      more.others[key] = frame
    }
  }

  private mutating func encode(_ key: Key, _ language: Int) -> EncodedDelta {
    guard let encoded else {
      let made = encode(for: key.sight, language)
      (encoded, encodedLanguage) = (made, key.language)
      if !isPlain { encodedSight = key.sight }
      return made
    }
    if encodedLanguage == key.language, isPlain || encodedSight == key.sight { return encoded }
    let version = Version(language: key.language, sight: key.sight)
    if let known = more?.encoded[version] { return known }
    let made = encode(for: key.sight, language)
    makeMore().encoded[version] = made
    return made
  }

  private func encode(for sight: Sight?, _ language: Int) -> EncodedDelta {
    guard let sight else { return encoder.encode(delta, texts: languages[language]) }
    return encoder.encode(delta, sight: sight, texts: languages[language])
  }

  private mutating func bands(in view: MonthView?, _ language: Int) -> [UInt8] {
    guard let view else { return [] }
    if delta.hasDayNotes {
      return encoder.viewPart(of: delta, in: session, view, texts: languages[language])
    }
    if let lastBands, lastBands.view == view { return lastBands.bytes }
    let bytes =
      lastBands == nil
      ? encoder.bands(changedBy: delta, in: session, view)
      : view.months.flatMap { bands(of: $0) }
    lastBands = (view, bytes)
    return bytes
  }

  private mutating func bands(of month: CivilMonth) -> [UInt8] {
    let more = makeMore()
    if let known = more.monthBands[month] { return known }
    let bytes = encoder.bands(changedBy: delta, in: session, MonthView(from: month, count: 1))
    if more.monthBands.count < DeltaCopies.monthCountMax { more.monthBands[month] = bytes }
    return bytes
  }
}

extension MessageEncoder {
  /// The part of a delta that depends on the listener's view: bands, or notes of the days in view.
  func viewPart(
    of delta: Delta, in session: Session, _ view: MonthView?, texts: any RowTexts
  ) -> [UInt8] {
    let bands = bands(changedBy: delta, in: session, view)
    guard delta.hasDayNotes, let view,
      let dates = session.fold.picker.cellDates(from: view.from, count: view.count)
    else { return bands }
    return bands + dayNotes(of: delta, in: dates, texts: texts)
  }

  /// The bands of the months in view whose bands the delta has changed.
  func bands(changedBy delta: Delta, in session: Session, _ view: MonthView?) -> [UInt8] {
    guard let view, let ranges = delta.change.ranges else { return [] }
    let picker = session.fold.picker
    var changed: [(month: CivilMonth, bands: MonthBands)] = []
    for offset in 0..<view.count {
      guard let month = view.from.adding(months: offset) else { break }
      if picker.bandsDiffer(in: month, ranges.before, ranges.after) {
        changed.append((month, picker.bands(of: month, for: ranges.after)))
      }
    }
    return changed.isEmpty ? [] : bands(changed)
  }
}

extension Delta {
  /// Whether the delta has notes or a reason of the host: these are chosen by the tag that a client
  /// requested (`de-CH`), not only by the language of the row texts (`de`).
  fileprivate var hasNotes: Bool {
    switch change {
    case .notes: true
    case .status(let change): change.hasText
    case .picker: notes != nil
    case .definition: notes != nil || change.notesEdit != nil
    }
  }

  var hasDayNotes: Bool {
    // Asked first: most deltas are of the picker, and the notes would be copied.
    if case .picker = change { return false }
    return change.notesEdit?.change.days.isEmpty == false
  }

  /// Whether any of the changes depends on the listener's time zone.
  fileprivate var hasZones: Bool {
    change.pickerChanges.contains { $0.hasZones }
  }

  /// Whether any of the changes has texts; if not, all languages share one copy.
  fileprivate var hasTexts: Bool {
    if case .definition(let redefinition, _, tappedBy: _, rangeBefore: _) = change,
      redefinition.isAnnounced, redefinition.hasOtherWeekdays
    {
      return true
    }
    switch change {
    case .picker: break
    case .status(let change): return change.hasText
    case .notes: return true
    case .definition: if change.notesEdit != nil { return true }
    }
    return hasPickerTexts
  }
}

/// The `months` messages that follow a change of cells: each month is compared once, and encoded
/// once for each language, however many listeners display it.
struct MonthCopies {
  private struct Part: Hashable {
    let month: CivilMonth
    let language: Int
  }

  private let change: CellChange
  private let locale: String
  private let encoder: MessageEncoder
  private let languages: Languages
  private var isChanged: [CivilMonth: Bool] = [:]
  private var parts: [Part: [UInt8]] = [:]
  private var last: (language: Int, view: MonthView, frame: Frame)?
  /// About 2 KiB each. Further parts are encoded for each message.
  private static let partCountMax = 4096

  init(
    _ change: CellChange, locale: String, _ encoder: MessageEncoder, _ languages: Languages
  ) {
    self.change = change
    self.locale = locale
    self.encoder = encoder
    self.languages = languages
  }

  /// The message for a listener.
  ///
  /// - Returns: `nil` if no cell of the months in `view` has changed.
  mutating func frame(in language: Int, showing view: MonthView) -> Frame? {
    let texts = change.notes.days.isEmpty ? languages.withoutRegion(language) : language
    if let last, last.language == texts, last.view == view { return last.frame }
    let months = view.months
    var needsFrame = false
    for month in months where hasChanged(month) { needsFrame = true }
    guard needsFrame else { return nil }
    var written: [[UInt8]] = []
    for month in months {
      if let part = part(Part(month: month, language: texts)) { written.append(part) }
    }
    let frame = encoder.months(written, revision: change.revision)
    last = (texts, view, frame)
    return frame
  }

  private mutating func hasChanged(_ month: CivilMonth) -> Bool {
    if let known = isChanged[month] { return known }
    let hasChanged = change.after.cells(of: month) != change.before.cells(of: month)
    isChanged[month] = hasChanged
    return hasChanged
  }

  /// A month, encoded; `nil` if it is outside the calendar's list.
  private mutating func part(_ part: Part) -> [UInt8]? {
    if let known = parts[part] { return known }
    let encoded = encoder.month(
      part.month, of: change.after, change.notes, locale: locale, texts: languages[part.language])
    if let encoded, parts.count < MonthCopies.partCountMax { parts[part] = encoded }
    return encoded
  }
}
