/// The position of a message in the search index: by its time and, within a millisecond, mostly by arrival.
///
/// It is the row number in the index, which returns rows only in this order.
public struct SearchPlace: RawRepresentable, Hashable, Sendable, DatabaseValue {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// After everything.
  static let end = SearchPlace(rawValue: .max)

  /// The number of positions for one millisecond.
  private static let placesOfOneTime: Int64 = 1 << 12
  /// Beyond any real time, so that no place is out of range.
  private static let maxTime: Int64 = 1 << 50

  /// The place of a message, unless another one of the same time has it.
  init(of interaction: InteractionRecord) {
    let time = min(max(interaction.sentAt, 0), Self.maxTime)
    let number = interaction.id.rawValue & (Self.placesOfOneTime - 1)
    rawValue = time * Self.placesOfOneTime + number
  }

  /// Behind all messages that were sent before a time.
  public init(before time: Int64) {
    rawValue = min(max(time, 0), Self.maxTime) * Self.placesOfOneTime
  }

  var next: SearchPlace { SearchPlace(rawValue: rawValue + 1) }
}
