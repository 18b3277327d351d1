import SessionBase
import SessionMessaging

/// How the events of a subscription are delivered.
struct SubscriptionOptions: Sendable {
  /// How events are acknowledged.
  enum Acknowledging: String, Sendable {
    /// By the client, when it has handled them.
    case explicit
    /// When they were written to the client.
    case auto
    case none
  }

  let reader: EventReader?
  let filter: EventFilter
  let acknowledging: Acknowledging
  /// The number of events that may be delivered and not acknowledged.
  let window: Int
  /// After so many deliveries without an acknowledgement an event is given up; 0 for never.
  let maxTries: Int
  /// Where events begin: the parameter `from`.
  let start: JSONValue?
  /// True to end another subscription of the reader.
  let takesOver: Bool
  /// What the client wants to know besides events.
  let signals: Set<Signal.Kind>

  /// The names of the parameters of a subscription.
  static let parameters =
    ["reader", "account", "accounts", "from"] + EventFilter.parameters
    + ["ack", "window", "max_tries", "signals", "take_over"]

  private static let windows: ClosedRange<Int64> = 1...1000
  private static let tries: ClosedRange<Int64> = 0...1000

  init(_ params: JSONValue, for access: RPCAccess) throws(RPCError) {
    reader = if params["reader"] == nil { nil } else { try EventReader(params, for: access) }
    filter = try EventFilter(params)
    let name = params["ack"]?.string ?? (reader == nil ? "none" : "explicit")
    guard let acknowledging = Acknowledging(rawValue: name) else {
      throw .invalidParams("\"ack\" is \"explicit\", \"auto\" or \"none\"")
    }
    self.acknowledging = reader == nil ? .none : acknowledging
    window = Int(try params.number("window", Self.windows, usual: 100))
    maxTries = Int(try params.number("max_tries", Self.tries, usual: 0))
    guard maxTries == 0 || self.acknowledging == .explicit else {
      throw .invalidParams("\"max_tries\" needs a reader that acknowledges its events")
    }
    start = params["from"]
    guard let takesOver = (params["take_over"] ?? false).boolean else {
      throw .invalidParams("\"take_over\" is true or false")
    }
    self.takesOver = takesOver
    signals = Set(
      try (params.texts("signals") ?? []).map { (name) throws(RPCError) in
        guard let kind = Signal.Kind(rawValue: name) else {
          throw .invalidParams(
            "\"signals\" may contain: \(Signal.Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return kind
      })
  }

  init(_ reader: EventReader, _ filter: EventFilter, window: Int, maxTries: Int) {
    self.reader = reader
    self.filter = filter
    acknowledging = .explicit
    self.window = window
    self.maxTries = maxTries
    (start, takesOver, signals) = (nil, false, [])
  }
}
