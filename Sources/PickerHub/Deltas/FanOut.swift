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
  struct CommonCopy: ~Copyable {
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
  ) -> CommonCopy? {
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
    var common: Frame?
    var (commonLanguage, commonView) = (0, MonthView?.none)
    let stopCount = connections.stopCount
    var recipients: [ConnectionID] = []
    swap(&recipients, &self.recipients)
    let table = connections.table
    for index in listeners.indices {
      let (id, language) = (listeners[index].connection, listeners[index].language)
      let view = listeners[index].view
      // Most listeners get the copy of the first one.
      if common != nil, language == commonLanguage, copies.isPlain, author?.raw != id.raw,
        view?.count == commonView?.count, view?.from == commonView?.from, table.isIdle(id)
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
      if common == nil { (common, commonLanguage, commonView) = (frame, language, view) }
      if frame === common, connection.sending.isIdle, !connection.isClosing {
        recipients.append(id)
      } else {
        connections.deliver(.updates(frame), to: connection, at: time)
      }
    }
    guard let common else {
      self.recipients = recipients
      return nil
    }
    return CommonCopy(
      frame: common, recipients: recipients, stopCount: stopCount,
      isOneToMany: session.hasManyListeners)
  }

  /// Sends a snapshot to each listener in its turn, in place of a delta.
  private func replace(in session: Session) {
    for listener in session.listeners {
      guard let connection = connections[listener.connection] else { continue }
      connections.replaceUpdates(of: connection)
    }
  }

  /// Posts the common copy of a delta.
  ///
  /// If any connection was write-blocked or closed since ``broadcast(_:in:at:author:)``, a
  /// recipient may not be idle any more: then each is delivered to separately.
  func post(_ common: consuming CommonCopy, at time: HubTime) {
    if common.frame.count > FanOut.longByteCountMin,
      common.frame.count &* common.recipients.count > FanOut.byteCountAtOnceMax
    {
      for recipient in common.recipients {
        guard let connection = connections[recipient] else { continue }
        connections.deliverInTurn(common.frame, to: connection, at: time)
      }
    } else if connections.stopCount == common.stopCount {
      connections.post(
        common.frame, toAll: common.recipients, isOneToMany: common.isOneToMany)
    } else {
      for recipient in common.recipients {
        guard let connection = connections[recipient] else { continue }
        connections.deliver(.updates(common.frame), to: connection, at: time)
      }
    }
    common.recipients.removeAll(keepingCapacity: true)
    swap(&recipients, &common.recipients)
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
