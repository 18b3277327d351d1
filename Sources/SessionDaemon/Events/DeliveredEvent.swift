package import SessionMessaging

/// An event on its way to a reader.
package struct DeliveredEvent: Sendable {
  package let event: MessengerEvent
  /// Its message as it is now; nil if it has none, or no longer.
  package let message: MessageView?
  package let account: String
  /// How often it was delivered to its reader; nil where deliveries are not counted.
  package let tries: Int?
}

/// Where the events of an account are delivered to.
protocol EventSink: Sendable {
  /// Returns when the event is on its way.
  func deliver(_ event: DeliveredEvent, of messenger: Messenger) async throws
  /// Tells something about the delivery itself.
  func signal(_ signal: DeliverySignal, of account: String) async throws
}

/// What a reader learns about the delivery of its events.
enum DeliverySignal: Hashable, Sendable {
  /// Events that it has not seen are no longer stored.
  case gap(EventGap)
  /// An event was given up after as many deliveries as the reader wanted.
  case dead(MessengerEvent.Cursor)
}

/// The events that a reader has missed.
struct EventGap: Hashable, Sendable {
  let lost: ClosedRange<MessengerEvent.Cursor>
  let newest: MessengerEvent.Cursor
}
