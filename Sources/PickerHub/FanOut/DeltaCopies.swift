import CivilTime
import PickerModel
import PickerSession
import PickerWire

/// The copies of one delta: as few as there are languages and views, whoever many listen.
struct DeltaCopies {
  private struct Key: Hashable {
    let language: Int
    let view: MonthView?
  }

  /// Copies that are looked through one by one; there are hardly ever more.
  private static let fewCount = 8

  private let delta: Delta
  private let session: Session
  private let encoder: MessageEncoder
  private let languages: Languages
  /// In the first language, and in the others.
  private var encoded: (language: Int, delta: EncodedDelta)?
  private var encodedMore: [Int: EncodedDelta] = [:]
  /// The copy that was asked for last: the next listener's too, almost always.
  private var last: (language: Int, view: MonthView?, frame: Frame)?
  /// The first copy, the next few, and the others.
  private var first: (key: Key, frame: Frame)?
  private var few: [(key: Key, frame: Frame)] = []
  private var more: [Key: Frame] = [:]
  /// The bands that were written last: they have no texts, and the author mostly looks at the
  /// months that the others look at.
  private var lastBands: (view: MonthView?, bytes: [UInt8])?

  init(
    _ delta: Delta, of session: Session, _ encoder: MessageEncoder, _ languages: Languages
  ) {
    self.delta = delta
    self.session = session
    self.encoder = encoder
    self.languages = languages
  }

  /// The copy for who reads a language and looks at some months; all such share it.
  mutating func frame(in language: Int, showing view: MonthView?) -> Frame {
    if let last, last.language == language, last.view == view { return last.frame }
    let frame = frame(for: key(language, view), language)
    last = (language, view, frame)
    return frame
  }

  private mutating func frame(for key: Key, _ language: Int) -> Frame {
    if let first, first.key == key { return first.frame }
    for copy in few where copy.key == key { return copy.frame }
    if !more.isEmpty, let frame = more[key] { return frame }
    let frame = encode(key, language, ref: nil)
    keep(frame, for: key)
    return frame
  }

  /// The author's copy, which has the `ref` of its command.
  mutating func frame(in language: Int, showing view: MonthView?, ref: Int) -> Frame {
    encode(key(language, view), language, ref: ref)
  }

  /// What sets a copy apart: a language where there are texts, a view where the range has moved or
  /// days have other notes.
  private func key(_ language: Int, _ view: MonthView?) -> Key {
    let hasViews = delta.change.ranges != nil || delta.hasDayNotes
    let texts = delta.hasNotes ? language : languages.withoutRegion(language)
    return Key(language: delta.hasTexts ? texts : 0, view: hasViews ? view : nil)
  }

  private mutating func keep(_ frame: Frame, for key: Key) {
    if first == nil {
      first = (key, frame)
    } else if few.count < DeltaCopies.fewCount {
      few.append((key, frame))
    } else {
      more[key] = frame
    }
  }

  private mutating func encode(_ key: Key, _ language: Int, ref: Int?) -> Frame {
    let bands = bands(in: key.view, language)
    if let encoded, encoded.language == key.language {
      return encoder.frame(encoded.delta, ref: ref, bands: bands)
    }
    let delta = encodedMore[key.language] ?? encoder.encode(delta, texts: languages[language])
    if encoded == nil { encoded = (key.language, delta) } else { encodedMore[key.language] = delta }
    return encoder.frame(delta, ref: ref, bands: bands)
  }

  private mutating func bands(in view: MonthView?, _ language: Int) -> [UInt8] {
    if delta.hasDayNotes {
      return encoder.viewPart(of: delta, in: session, view, texts: languages[language])
    }
    if let lastBands, lastBands.view == view { return lastBands.bytes }
    let bytes = encoder.bands(changedBy: delta, in: session, view)
    lastBands = (view, bytes)
    return bytes
  }
}

extension MessageEncoder {
  /// What a delta has for who looks at some months: bands, or notes of their days.
  func viewPart(
    of delta: Delta, in session: Session, _ view: MonthView?, texts: any RowTexts
  ) -> [UInt8] {
    guard delta.hasDayNotes else { return bands(changedBy: delta, in: session, view) }
    guard let view,
      let dates = session.fold.picker.cellDates(from: view.from, count: view.count)
    else { return [] }
    return dayNotes(of: delta, in: dates, texts: texts)
  }

  /// The bands of the months in view that a delta has made look different.
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
  /// Whether members get it in the language that they asked for, not only in the one that rows
  /// have.
  fileprivate var hasNotes: Bool {
    if case .notes = change { true } else { notes != nil }
  }

  fileprivate var hasDayNotes: Bool {
    if case .notes(let edit) = change { !edit.change.days.isEmpty } else { false }
  }

  /// Whether any of the changes has texts; if not, all languages share one.
  fileprivate var hasTexts: Bool {
    if case .definition(let redefinition, _, tappedBy: _, rangeBefore: _) = change,
      redefinition.isAnnounced, redefinition.hasOtherWeekdays
    {
      return true
    }
    if case .notes = change { return true }
    return change.pickerChanges.contains { change in
      switch change {
      case .reload, .row: true
      case .removal, .months, .range: false
      }
    }
  }
}
