import SessionBase
import Synchronization

@testable import SessionDesktop

/// The accounts of a notifier, as a test wants them.
final class ScriptedDaemon: Sendable {
  struct Call: Hashable, Sendable {
    let method: String
    let params: JSONValue
  }

  struct Refusal: Error {}

  struct State: Sendable {
    /// What is different from a usual conversation.
    var chat: [String: JSONValue] = [:]
    /// What is different in some of them.
    var chats: [String: [String: JSONValue]] = [:]
    var settings: [String: JSONValue] = [:]
    var draft: JSONValue = ["text": ""]
    /// The methods that fail.
    var refused: Set<String> = []
    var quiet = QuietTime()
    /// How often a conversation was asked for.
    var questions = 0
    /// The cursors of acknowledgements.
    var acknowledged: [Int64] = []
  }

  let state = Mutex(State())
  /// The calls that change something.
  let calls: AsyncStream<Call>
  private let calling: AsyncStream<Call>.Continuation
  private static let reading: Set<String> = ["chat.get", "settings.list", "draft.get", "events.ack"]

  static let bob = "05" + String(repeating: "b", count: 64)

  init() { (calls, calling) = AsyncStream.makeStream(of: Call.self) }

  func setting(file: String? = nil) -> Notifier.Setting {
    var setting = Notifier.Setting(
      call: { [self] method, params in try call(method, params) },
      clean: { $0.replacing("\n", with: " ").replacing("\u{1B}", with: "\u{FFFD}") },
      reason: { _ in "it was refused" },
      quiet: { [self] in state.withLock { $0.quiet } },
      open: { [calling] account, conversation, token in
        calling.yield(
          Call(
            method: "open",
            params: .array([account, conversation, token].map { $0.map { .string($0) } ?? .null })))
      }, systemBus: nil, file: file, instance: "i", wall: { 1_000_000_000 })
    (setting.pace.wait, setting.pace.collecting, setting.pace.summing) = (0, 0, 0)
    return setting
  }

  private func call(_ method: String, _ params: JSONValue) throws -> JSONValue {
    let state = state.withLock { $0 }
    if !Self.reading.contains(method) { calling.yield(Call(method: method, params: params)) }
    guard !state.refused.contains(method) else { throw Refusal() }
    switch method {
    case "events.ack":
      self.state.withLock { $0.acknowledged.append(params["cursor"]?.integer ?? 0) }
      return [:]
    case "chat.get":
      self.state.withLock { $0.questions += 1 }
      var chat: [String: JSONValue] = [
        "kind": "person", "name": "Bob", "unread": 100, "notifies": "all", "request": false, "blocked": false,
      ]
      chat.merge(state.chat) { $1 }
      chat.merge(state.chats[params["chat"]?.string ?? ""] ?? [:]) { $1 }
      return .object(chat.map { .init($0.key, $0.value) })
    case "settings.list":
      let settings = params["account"] == "alice" ? state.settings : [:]
      let items = settings.map { name, value -> JSONValue in
        value.string == nil
          ? ["name": .string(name), "value": value] : ["name": .string(name), "choice": value]
      }
      return ["items": .array(items)]
    case "draft.get": return state.draft
    default: return [:]
    }
  }

  /// An event of a message of bob.
  static func message(
    _ id: Int64, _ body: String, chat: String = bob, also members: [JSONValue.Member] = []
  ) -> JSONValue {
    event(
      "messageReceived", id, chat: chat,
      [
        .init(
          "message",
          .object(
            members.filter { ["attachments", "disappears_at", "timer", "mentions_me"].contains($0.name) } + [
              .init("id", .integer(id)), .init("outgoing", members.value("outgoing") ?? false),
              .init("read", members.value("read") ?? false),
              .init("kind", members.value("kind") ?? "message"),
              .init("body", .string(body)), .init("from_name", "Bob"),
              .init("sent_at", members.value("sent_at") ?? 1_000_000_000),
            ]))
      ])
  }

  static func event(
    _ kind: String, _ id: Int64, chat: String = bob, _ members: [JSONValue.Member] = []
  ) -> JSONValue {
    let usual: [JSONValue.Member] = [
      .init("cursor", .integer(id)), .init("event", .string(kind)), .init("at", 1_000_000_000),
      .init("chat", .string(chat)), .init("message_id", .integer(id)),
    ]
    return ["account": "alice", "event": .object(usual + members)]
  }
}

extension [JSONValue.Member] {
  fileprivate func value(_ name: String) -> JSONValue? { first { $0.name == name }?.value }
}
