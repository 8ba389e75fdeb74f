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
  /// The first copy, the next few, and the others.
  private var first: (key: Key, frame: Frame)?
  private var few: [(key: Key, frame: Frame)] = []
  private var more: [Key: Frame] = [:]
  private var bands: [MonthView: [UInt8]] = [:]
  /// The range before and after, when the delta moves it.
  private let ranges: (before: DateRange?, after: DateRange?)?
  /// Whether any of the changes has texts; if not, all languages share one.
  private let hasTexts: Bool

  init(
    _ delta: Delta, of session: Session, _ encoder: MessageEncoder, _ languages: Languages
  ) {
    self.delta = delta
    self.session = session
    self.encoder = encoder
    self.languages = languages
    var ranges: (DateRange?, DateRange?)?
    for case .range(let change, _, let before) in delta.changes { ranges = (before, change.range) }
    self.ranges = ranges
    hasTexts = delta.changes.contains { change in
      switch change {
      case .picker(.reload), .picker(.row): true
      case .picker(.months), .picker(.range), .range, .status: false
      }
    }
  }

  /// The copy for who reads a language and looks at some months; all such share it.
  mutating func frame(in language: Int, showing view: MonthView?) -> Frame {
    let key = Key(language: hasTexts ? language : 0, view: ranges == nil ? nil : view)
    if let first, first.key == key { return first.frame }
    for copy in few where copy.key == key { return copy.frame }
    if !more.isEmpty, let frame = more[key] { return frame }
    let frame = encode(key, language, ref: nil)
    keep(frame, for: key)
    return frame
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

  /// The author's copy, which has the `ref` of its command.
  mutating func frame(in language: Int, showing view: MonthView?, ref: Int) -> Frame {
    let key = Key(language: hasTexts ? language : 0, view: ranges == nil ? nil : view)
    return encode(key, language, ref: ref)
  }

  private mutating func encode(_ key: Key, _ language: Int, ref: Int?) -> Frame {
    let bands = key.view.map { changedBands($0) } ?? []
    if let encoded, encoded.language == key.language {
      return encoder.frame(encoded.delta, ref: ref, bands: bands)
    }
    let delta = encodedMore[key.language] ?? encoder.encode(delta, texts: languages[language])
    if encoded == nil { encoded = (key.language, delta) } else { encodedMore[key.language] = delta }
    return encoder.frame(delta, ref: ref, bands: bands)
  }

  /// The bands of the months in view that look different now.
  private mutating func changedBands(_ view: MonthView) -> [UInt8] {
    if let known = bands[view] { return known }
    let picker = session.fold.picker
    guard let ranges, let list = picker.months else { return [] }
    var changed: [(month: CivilMonth, bands: [Band])] = []
    for offset in 0..<view.count {
      guard let month = view.from.adding(months: offset) else { break }
      guard month >= list.first, month <= list.last else { continue }
      let after = picker.bands(of: month, for: ranges.after)
      if after != picker.bands(of: month, for: ranges.before) {
        changed.append((month, after))
      }
    }
    let octets = encoder.bands(changed)
    bands[view] = octets
    return octets
  }
}
