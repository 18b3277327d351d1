import SessionBase
import SessionMessaging

/// A named reader of the events of an account: what it has acknowledged is stored.
struct EventReader: Sendable {
  let name: String

  /// Names of our own readers.
  private static let reserved: Set<String> = ["receive", "notify", "ui"]

  init(_ params: JSONValue) throws(RPCError) {
    guard let name = params["reader"]?.string else { throw .invalidParams("\"reader\" is missing") }
    try self.init(name)
  }

  init(_ name: String) throws(RPCError) {
    func isFirst(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    let bytes = Array(name.utf8)
    guard let first = bytes.first, isFirst(first), bytes.count <= 64,
      bytes.allSatisfy({ isFirst($0) || [0x2E, 0x5F, 0x3A, 0x2D].contains($0) })
    else {
      throw .invalidParams("the name of a reader has up to 64 of a-z, 0-9, and also . _ : - after the first")
    }
    guard !name.hasPrefix("hook:"), !Self.reserved.contains(name) else {
      throw .invalidParams("the name \"\(name)\" is reserved")
    }
    self.name = name
  }

  /// Where a reader begins: at the place that it asks for, or else behind its last acknowledgement. One without a name
  /// begins behind the newest event.
  static func start(
    of reader: EventReader?, _ from: JSONValue?, _ messenger: Messenger
  ) async throws -> MessengerEvent.Cursor {
    switch from {
    case nil:
      guard let reader else { return try await messenger.lastEvent() }
      return try await messenger.registerReader(reader.name)
    case "start": return .start
    case "new": return try await messenger.lastEvent()
    case .integer(let number) where number >= 0: return MessengerEvent.Cursor(rawValue: number)
    default: throw RPCError.invalidParams("\"from\" is the number of an event, \"start\" or \"new\"")
    }
  }
}
