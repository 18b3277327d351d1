internal import CSessionCore

/// A link that opens the program: to a person, a room, or a conversation of this device. It only says what to show.
public enum SessionLink: Hashable, Sendable {
  /// A person, with a text that may be sent to them, and what the author of the link calls them.
  case person(SessionID, text: String?, name: String?)
  case room(CommunityLink)
  /// The number of a conversation of this device.
  case conversation(Int64)

  /// Reads `session:ID?text=…&name=…`, `session:` with the percent-encoded link of a room, `session:?chat=NUMBER`, or the
  /// link of a room. The texts are as their author wrote them.
  public init(parsing text: String) throws(SessionError) {
    self = try text.utf8.lend { (bytes) throws(SessionError) in
      var storage = [CChar](repeating: 0, count: Int(SC_SESSION_LINK_MAX_CHARS))
      var parsed: Result<SessionLink, SessionError> = .failure(SessionError(SC_ERR_LINK))
      storage.withUnsafeMutableBufferPointer { storage in
        guard let start = storage.baseAddress else { return }
        var link = sc_session_link()
        let status = sc_session_link_parse(&link, start, bytes)
        parsed = Result { () throws(SessionError) in
          try SessionError.check(status)
          return try SessionLink(link)
        }
      }
      return try parsed.get()
    }
  }

  /// Copies the parts while their storage is there.
  private init(_ link: sc_session_link) throws(SessionError) {
    switch link.kind {
    case SC_SESSION_LINK_PERSON:
      self = .person(SessionID(link.person), text: link.text.text, name: link.name.text)
    case SC_SESSION_LINK_ROOM: self = .room(try CommunityLink(typed: link.room.string))
    default: self = .conversation(Int64(clamping: link.chat))
    }
  }
}

extension SessionLink: CustomStringConvertible {
  /// A link that ``init(parsing:)`` reads as this one, unless its texts make it longer than 4096 characters.
  public var description: String {
    switch self {
    case .person(let id, let text, let name):
      let parameters = [("text", text), ("name", name)].compactMap { name, value in
        value.map { "\(name)=\(Self.escaped($0, keeping: Self.plainSigns))" }
      }
      return "session:\(id)" + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    case .room(let link): return "session:" + Self.escaped(link.description)
    case .conversation(let number): return "session:?chat=\(number)"
    }
  }

  /// Signs that a text may have as they are, so that a link is hardly longer than the one that it was read from. Those that
  /// quote, separate or expand words, in a shell or in a unit of systemd, stay escaped: programs hand links on.
  private static let plainSigns = "/:?@!+,="

  private static func escaped(_ text: String, keeping signs: String = "") -> String {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    let kept = Set("\(letters)0123456789-._~\(signs)".utf8)
    return text.utf8.reduce(into: "") { escaped, byte in
      guard !kept.contains(byte) else { return escaped.append(Character(Unicode.Scalar(byte))) }
      let digits = String(byte, radix: 16, uppercase: true)
      escaped += "%" + (digits.count < 2 ? "0" : "") + digits
    }
  }
}
