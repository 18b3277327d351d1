import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage

/// Our ids on a community server.
struct LetterIdentity: Sendable {
  /// The server's key.
  let key: [UInt8]
  let account: Account
  /// All of them, and that of the account.
  let own: Set<SessionID>

  init(on key: [UInt8], _ account: Account) throws {
    self.key = key
    self.account = account
    own = try SourcePeople(onServer: key, for: account, blocked: []).own
  }
}

/// A message of our inbox or outbox on a community server, opened if possible.
struct OpenedLetter: Sendable {
  /// Why it can never be read.
  private enum Flaw: String, Error {
    case malformed
    /// It is not from somebody else to us, or from us to somebody else.
    case people
    case unreadable
  }

  let letter: CommunityLetter
  private let content: Result<ReceivedMessage, Flaw>
  /// True if the core failed for reasons of its own.
  let isUnsettled: Bool

  /// The reason if it cannot be read.
  var flaw: String? {
    guard case .failure(let flaw) = content else { return nil }
    return flaw.rawValue
  }

  init(_ letter: CommunityLetter, of box: LetterBox, _ identity: LetterIdentity) {
    self.letter = letter
    guard let content = letter.content else {
      (self.content, isUnsettled) = (.failure(.malformed), false)
      return
    }
    let (ours, theirs) =
      box == .inbox ? (content.recipient, content.sender) : (content.sender, content.recipient)
    guard ours.isBlinded, identity.own.contains(ours), theirs.kind == ours.kind,
      !identity.own.contains(theirs)
    else {
      (self.content, isUnsettled) = (.failure(.people), false)
      return
    }
    do throws(SessionError) {
      let received = try identity.account.decode(
        content.data,
        from: .inbox(
          server: identity.key, sender: content.sender, recipient: content.recipient,
          postedAt: content.postedAt))
      // Whatever the server says about the box. Both sides share the key, so in the outbox this proves only that one of
      // the two wrote it.
      let isOurs = received.sender == identity.account.id
      self.content = isOurs == (box == .outbox) ? .success(received) : .failure(.people)
      isUnsettled = false
    } catch {
      (self.content, isUnsettled) = (.failure(.unreadable), error.code == .noMemory)
    }
  }

  /// The message with its conversation: that with the account that has sent it, or to which it was sent; nil if it cannot
  /// be read.
  func arrival(
    of box: LetterBox, on serverKey: [UInt8], _ transaction: borrowing some Reading & ~Copyable
  ) throws -> Arrival? {
    guard let received = try? content.get(), let content = letter.content else { return nil }
    var conversation = Conversation.ID.person(received.sender)
    if box == .outbox {
      let recipient = content.recipient
      let account =
        try transaction.route(to: recipient)?.account ?? transaction.account(behind: recipient, on: serverKey)
      let hasWritten =
        try account.map { account in try transaction.contact(account.address)?.didApproveMe ?? false }
        ?? false
      // Another device may have told us that they wrote, before they prove it here. Until then the conversation under
      // their id goes on: it has the message of which this is the copy.
      let goesOn = try transaction.thread(at: recipient.address) != nil
      conversation = .person(hasWritten && !goesOn ? account ?? recipient : recipient)
    }
    return Arrival(received, as: .letter(box, letter.number), in: conversation, of: content)
  }

  /// True if it has the time and the text of a message of ours.
  func isCopy(of message: Message) -> Bool {
    guard let received = try? content.get(), received.message.sentAt == message.sentAt,
      case .visible(let text) = received.message.content, case .visible(let ours) = message.content
    else { return false }
    return text.body == ours.body
  }

  /// Stores who is behind the other's id, and where it is known.
  func noteRoute(
    of box: LetterBox, _ server: String, _ serverKey: [UInt8], in transaction: borrowing WriteTransaction
  ) throws {
    guard let received = try? content.get(), let content = letter.content else { return }
    let theirs = box == .inbox ? content.sender : content.recipient
    let account = box == .inbox ? received.sender : try transaction.account(behind: theirs, on: serverKey)
    try transaction.put(BlindedRoute(server: server, serverKey: serverKey, account: account), to: theirs)
  }
}

// MARK: - As bytes

extension CommunityLetter.Content {
  /// The bytes that keep what could not be read: the JSON of the server.
  var bytes: [UInt8] {
    let json: JSONValue = [
      "message": .string(data.base64), "sender": .string(sender.description),
      "recipient": .string(recipient.description), "posted_at": .decimal(postedAt.secondsAndParts),
      "expires_at": .decimal(expiresAt.secondsAndParts),
    ]
    return Array(json.description.utf8)
  }
}

extension CommunityLetter {
  /// Reads what ``Content/bytes`` made.
  init?(parsing bytes: [UInt8], number: Int64) {
    guard case .object(let members)? = try? JSONReader.value(of: bytes) else { return nil }
    self.init(.object(members + [.init("id", .integer(number))]))
  }
}

extension MessageTime {
  fileprivate var secondsAndParts: Double { Double(milliseconds) / 1000 }
}
