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
    let sight: Sight
  }

  private struct Version: Hashable {
    let language: Int
    let sight: Sight
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
  /// Whether all listeners see the same, as in every kind but `availability`.
  let isPlain: Bool
  /// Whether the copies depend on the listener's time zone.
  private let hasZones: Bool
  /// The delta without its view part, in the first language and for the first sight, and others.
  private var encoded: EncodedDelta?
  private var encodedVersion = Version(language: 0, sight: .everything)
  private var encodedMore: [Version: EncodedDelta] = [:]
  /// The last copy returned: almost always also that of the next listener.
  private var last: Frame?
  private var (lastLanguage, lastView) = (0, MonthView?.none)
  private var lastSight = Sight.everything
  /// The first copy, the next few, and the others.
  private var first: Frame?
  private var firstKey = Key(language: 0, view: nil, sight: .everything)
  private var few: [(key: Key, frame: Frame)] = []
  private var more: [Key: Frame] = [:]
  /// The last bands encoded. They have no texts, so they do not depend on the language, and the
  /// author mostly views the same months as the others.
  private var lastBands: (view: MonthView?, bytes: [UInt8])?
  /// The bands of single months, empty if unchanged: views mostly overlap. Not of the first view,
  /// which is mostly the only one.
  private var monthBands: [CivilMonth: [UInt8]] = [:]
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
  mutating func frame(in language: Int, showing view: MonthView?, _ sight: Sight) -> Frame {
    if let last, isLast(language, view), isPlain || lastSight == sight { return last }
    let frame = frame(for: key(language, view, sight), language)
    (last, lastLanguage, lastView, lastSight) = (frame, language, view, sight)
    return frame
  }

  /// The same where all listeners see the same.
  mutating func frame(in language: Int, showing view: MonthView?) -> Frame {
    if let last, isLast(language, view) { return last }
    return frame(in: language, showing: view, .everything)
  }

  private func isLast(_ language: Int, _ view: MonthView?) -> Bool {
    lastLanguage == language && lastView?.count == view?.count && lastView?.from == view?.from
  }

  private mutating func frame(for key: Key, _ language: Int) -> Frame {
    if let first, firstKey == key { return first }
    for copy in few where copy.key == key { return copy.frame }
    if !more.isEmpty, let frame = more[key] { return frame }
    let bands = bands(in: key.view, language)
    let frame = encoder.frame(encode(key, language), ref: nil, bands: bands)
    store(frame, for: key)
    return frame
  }

  /// The author's copy, which has the `ref` of its command, as of
  /// ``MessageEncoder/message(_:ref:bands:)``.
  mutating func message(
    in language: Int, showing view: MonthView?, _ sight: Sight, ref: Int
  ) -> UnsafeRawBufferPointer {
    let key = key(language, view, sight)
    let bands = bands(in: key.view, language)
    return encoder.message(encode(key, language), ref: ref, bands: bands)
  }

  /// The key of a copy. It has a language only if the delta has texts, and a view only if the range
  /// or notes of days have changed.
  private func key(_ language: Int, _ view: MonthView?, _ sight: Sight) -> Key {
    let texts = delta.hasNotes ? language : languages.withoutRegion(language)
    return Key(
      language: hasTexts ? texts : 0, view: hasViews ? view : nil,
      sight: isPlain ? .everything : needed(sight))
  }

  /// The part of a sight that the delta depends on.
  private func needed(_ sight: Sight) -> Sight {
    let isOwn = sight.member.map { delta.by == $0 || delta.hasMarks(of: $0) } ?? false
    return Sight(sight.audience, isOwn ? sight.member : nil, zone: hasZones ? sight.zone : nil)
  }

  private mutating func store(_ frame: Frame, for key: Key) {
    if first == nil {
      (first, firstKey) = (frame, key)
    } else if few.count < DeltaCopies.fewCount {
      few.append((key, frame))
    } else {
      more[key] = frame
    }
  }

  private mutating func encode(_ key: Key, _ language: Int) -> EncodedDelta {
    if let encoded, encodedVersion.language == key.language,
      isPlain || encodedVersion.sight == key.sight
    {
      return encoded
    }
    let version = Version(language: key.language, sight: key.sight)
    let delta =
      encodedMore[version]
      ?? encoder.encode(delta, sight: key.sight, texts: languages[language])
    if encoded == nil {
      (encoded, encodedVersion) = (delta, version)
    } else {
      encodedMore[version] = delta
    }
    return delta
  }

  private mutating func bands(in view: MonthView?, _ language: Int) -> [UInt8] {
    if delta.hasDayNotes {
      return encoder.viewPart(of: delta, in: session, view, texts: languages[language])
    }
    if let lastBands, lastBands.view == view { return lastBands.bytes }
    let bytes =
      lastBands == nil
      ? encoder.bands(changedBy: delta, in: session, view)
      : (view?.months ?? []).flatMap { bands(of: $0) }
    lastBands = (view, bytes)
    return bytes
  }

  private mutating func bands(of month: CivilMonth) -> [UInt8] {
    if let known = monthBands[month] { return known }
    let bytes = encoder.bands(changedBy: delta, in: session, MonthView(from: month, count: 1))
    if monthBands.count < DeltaCopies.monthCountMax { monthBands[month] = bytes }
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
    case .status(let change): change.settle?.reason != nil
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
    change.pickerChanges.contains { change in
      switch change {
      case .cells, .best: true
      case .reload, .removal, .row, .months, .range, .past, .closed, .marks, .heat: false
      }
    }
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
    case .status(let change): return change.settle?.reason != nil
    case .notes: return true
    case .definition: if change.notesEdit != nil { return true }
    }
    return change.pickerChanges.contains { change in
      switch change {
      case .reload, .row, .cells, .best: true
      case .removal, .months, .range, .past, .closed, .marks, .heat: false
      }
    }
  }
}
