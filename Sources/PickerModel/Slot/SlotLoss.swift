/// Why a change of definition took the selected slot away: `because` on the wire.
package enum SlotLoss: String, Hashable, Sendable {
  /// An entry of `taken`, with the time kept free around it, overlaps the booking.
  case taken
  /// The booking is not within one opening time.
  case closed
  /// Another option, for example `stepMinutes` or `leadMinutes`.
  case rules
}
