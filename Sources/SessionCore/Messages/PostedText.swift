internal import CSessionCore

/// What a message in a room says, as far as anybody reads it who is no member: a server for its pages and filters.
public struct PostedText: Hashable, Sendable {
  /// Empty for a message without a text.
  public let text: String
  /// The name that the author gives.
  public let name: String?
  /// The names of files; empty for one without.
  public let fileNames: [String]

  /// Nil for what is no message that people see. Everything in it is untrusted.
  public init?(_ data: some Collection<UInt8>, postedAt: MessageTime) {
    // No proof of Pro matters here.
    let backend = [UInt8](repeating: 0, count: Int(SC_KEY_BYTES))
    do throws(SessionError) {
      let handle = try MessageHandle(decoding: data) { out, bytes in
        sc_decode_from_community(out, nil, backend, postedAt.seconds, bytes)
      }
      let content = try handle.withBody { (body) throws(SessionError) in try MessageContent(body) }
      guard case .visible(let message) = content else { return nil }
      text = message.body
      name = message.profile?.name
      fileNames = message.attachments.map { $0.fileName ?? "" }
    } catch {
      return nil
    }
  }
}
