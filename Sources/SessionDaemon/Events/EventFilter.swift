import SessionBase
import SessionCore
import SessionMessaging

/// Which events a reader wants.
struct EventFilter: Hashable, Sendable {
  var kinds: Set<MessengerEvent.Kind>?
  var conversations: Set<Conversation.ID>?
  /// Only messages of others, or only own ones.
  var isIncoming: Bool?
  /// Also events of message requests.
  var includesRequests = true

  /// The names of the parameters that make a filter.
  static let parameters = ["kinds", "chats", "incoming", "requests"]

  init(
    kinds: Set<MessengerEvent.Kind>?, conversations: Set<Conversation.ID>?, isIncoming: Bool?,
    includesRequests: Bool
  ) {
    self.kinds = kinds
    self.conversations = conversations
    self.isIncoming = isIncoming
    self.includesRequests = includesRequests
  }

  init(_ params: JSONValue) throws(RPCError) {
    if let names = try params.texts("kinds") {
      var kinds: Set<MessengerEvent.Kind> = []
      for name in names {
        guard let kind = MessengerEvent.Kind(rawValue: name) else {
          let nearest = nearestName(to: name, among: MessengerEvent.Kind.allCases.map(\.rawValue))
          throw .invalidParams(
            "there is no kind of event \"\(name.prefix(64))\""
              + (nearest.map { "; did you mean \($0)?" } ?? ""))
        }
        kinds.insert(kind)
      }
      self.kinds = kinds
    }
    if let texts = try params.texts("chats") {
      var conversations: Set<Conversation.ID> = []
      for text in texts {
        guard let id = Conversation.ID(text) else {
          throw .invalidParams("\"\(text.prefix(80))\" is no id of a conversation")
        }
        conversations.insert(id)
      }
      self.conversations = conversations
    }
    if let incoming = params["incoming"] {
      guard let isIncoming = incoming.boolean else { throw .invalidParams("\"incoming\" is true or false") }
      self.isIncoming = isIncoming
    }
    if let requests = params["requests"] {
      guard let includesRequests = requests.boolean else {
        throw .invalidParams("\"requests\" is true or false")
      }
      self.includesRequests = includesRequests
    }
  }

  /// True for an event that is wanted; gaps always are. Whether a message is incoming is known where it is still there.
  func admits(
    _ event: MessengerEvent, _ message: MessageView?, of messenger: Messenger
  ) async throws -> Bool {
    guard event.kind != .gap else { return true }
    if let kinds, !kinds.contains(event.kind) { return false }
    if let conversations {
      guard let conversation = event.conversation, conversations.contains(conversation) else { return false }
    }
    if let isIncoming, let message, message.isOutgoing == isIncoming { return false }
    guard !includesRequests, let id = event.conversation else { return true }
    return try await messenger.conversation(id)?.isRequest != true
  }
}

extension JSONValue {
  /// The texts of an array, or one alone; nil if the member is missing.
  func texts(_ name: String) throws(RPCError) -> [String]? {
    switch self[name] {
    case nil: return nil
    case .string(let text): return [text]
    case .array(let elements):
      let texts = elements.compactMap(\.string)
      guard texts.count == elements.count else { throw .invalidParams("\"\(name)\" is an array of texts") }
      return texts
    default: throw .invalidParams("\"\(name)\" is an array of texts")
    }
  }

  /// A number within limits; `usual` if the member is missing.
  func number(_ name: String, _ range: ClosedRange<Int64>, usual: Int64) throws(RPCError) -> Int64 {
    guard let value = self[name] else { return usual }
    guard let number = value.integer, range.contains(number) else {
      throw .invalidParams("\"\(name)\" is a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
