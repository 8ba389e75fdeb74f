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

  private let delta: Delta
  private let session: Session
  private let encoder: MessageEncoder
  private var encoded: [Int: EncodedDelta] = [:]
  private var frames: [Key: Frame] = [:]
  private var bands: [MonthView: [UInt8]] = [:]
  /// The range before and after, when the delta moves it.
  private let ranges: (before: DateRange?, after: DateRange?)?
  /// Whether any of the changes has texts; if not, all languages share one.
  private let hasTexts: Bool

  init(_ delta: Delta, of session: Session, _ encoder: MessageEncoder) {
    self.delta = delta
    self.session = session
    self.encoder = encoder
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

  /// The copy for one listener; `ref` only for the author's.
  mutating func frame(for listener: Listener, _ texts: any RowTexts, ref: Int?) -> Frame {
    let key = Key(
      language: hasTexts ? listener.language : 0, view: ranges == nil ? nil : listener.view)
    if ref == nil, let frame = frames[key] { return frame }
    let encoded = self.encoded[key.language] ?? encoder.encode(delta, texts: texts)
    self.encoded[key.language] = encoded
    let frame = encoder.frame(encoded, ref: ref, bands: key.view.map { changedBands($0) } ?? [])
    if ref == nil { frames[key] = frame }
    return frame
  }

  /// The bands of the months in view that look different now.
  private mutating func changedBands(_ view: MonthView) -> [UInt8] {
    if let known = bands[view] { return known }
    guard let ranges, let list = session.fold.picker.months else { return [] }
    var changed: [(month: CivilMonth, bands: [Band])] = []
    for offset in 0..<view.count {
      guard let month = view.from.adding(months: offset) else { break }
      guard month >= list.first, month <= list.last else { continue }
      let after = session.fold.picker.bands(of: month, for: ranges.after)
      if after != session.fold.picker.bands(of: month, for: ranges.before) {
        changed.append((month, after))
      }
    }
    let octets = encoder.bands(changed)
    bands[view] = octets
    return octets
  }
}
