import SessionCore
import SessionNodeCore

/// Those who reply to messages that filters catch: each filter has keys of its own, which follow from those of the server and
/// stay the same.
struct FilterAuthors: Sendable {
  private static let purpose = "sogsfiltering"
  private static let padding: [UInt8] = [0x80, 0]

  private let server: ExchangeKeys
  /// The name that people see.
  private let name: String

  init(_ server: ExchangeKeys, name: String) { (self.server, self.name) = (server, name) }

  /// A reply, ready to be stored.
  struct Post: Sendable {
    /// An id that belongs to no account.
    let author: SessionID
    let text: PaddedText
    let signature: [UInt8]
  }

  /// Writes and signs a text. Throws for one that no message holds.
  func write(_ text: String, by filter: MessageFilter.Name, now: Int64) throws -> Post {
    let keys = try NodeKeys(seed: try server.secret(of: filter.rawValue, for: Self.purpose))
    let message = try Message(
      .visible(VisibleMessage(body: text, profile: try MessageProfile(name: name))),
      sentAt: try MessageTime(milliseconds: UInt64(clamping: now)))
    // What a room takes says nothing of the account.
    let padded = PaddedText(try Account.generate().encode(message, for: .community))
    let data = padded.stored + Self.padding
    return Post(
      author: try SessionID(.blinded15, key: keys.publicKey), text: PaddedText(data),
      signature: try keys.sign(data))
  }
}
