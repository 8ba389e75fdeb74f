import CivilTime
import PickerModel
import PickerSession
import PickerWire

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
    case .picker, .inventory: notes != nil
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
    if case .definition(let redefinition, _, tappedBy: _) = change,
      redefinition.isAnnounced, redefinition.hasOtherWeekdays
    {
      return true
    }
    switch change {
    case .picker, .inventory: break
    case .status(let change): return change.hasText
    case .notes: return true
    case .definition: if change.notesEdit != nil { return true }
    }
    return hasPickerTexts
  }
}
