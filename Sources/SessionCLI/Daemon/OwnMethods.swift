import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionNetworking
import SessionStorage

/// A method that no command has the parameters of.
struct OwnMethod: Sendable {
  let name: String
  let summary: String
  let scope: RPCScope?
  var parameters: [MethodParameter] = []
  /// The form of its result; the objects of a list have it where it is one.
  let form: String
  var isList = false
  /// Gets the environment of the server, too.
  let run: @Sendable (RPCCall, MethodArguments, CommandIO) async throws -> JSONObject

  func method(in io: CommandIO) -> RPCMethod {
    RPCMethod(name, needs: scope) { [self] call in
      let arguments = try MethodArguments(call.params, known: parameters.map(\.name))
      do {
        return try await run(call, arguments, io).text
      } catch let error as RPCError {
        throw error
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        throw RPCError(failureOf: error)
      }
    }
  }
}

extension OwnMethod {
  static let all =
    accounts + keys + [message, chat, sync, typing, draft, attachment, badge, version, hooksTest, logShow]

  /// The numbers that every language keeps exactly.
  private static let numbers: ClosedRange<Int64> = 1...1 << 53

  private static let message = OwnMethod(
    name: "message.get", summary: "get a message with its full text", scope: .read,
    parameters: [.required("id", .number, "the number of the message"), .account], form: "message"
  ) { call, arguments, _ in
    let id = MessageView.ID(rawValue: try arguments.requiredNumber("id", numbers))
    let messenger = try await call.messenger()
    let message = try await messenger.existing(id)
    return message.json(try await Directory(of: messenger, showing: [message.conversation]), isFull: true)
  }

  private static let chat = OwnMethod(
    name: "chat.get", summary: "get a conversation", scope: .read, parameters: [.chat, .account], form: "chat"
  ) { call, arguments, _ in
    let messenger = try await call.messenger()
    let view = try await messenger.existing(try await messenger.conversation(in: arguments))
    return view.json(try await Directory(of: messenger, showing: [view.id]))
  }

  private static let sync = OwnMethod(
    name: "sync", summary: "fetch new messages now", scope: .read,
    parameters: [
      .optional("timeout_ms", .number, "how long to wait for the network; 30000 by default"), .account,
    ],
    form: "sync"
  ) { call, arguments, _ in
    let timeout = try arguments.number("timeout_ms", 1...600_000) ?? 30_000
    let messenger = try await call.messenger()
    let isDone: Void? = try await withinTime(.milliseconds(timeout)) {
      repeat {
        while await !messenger.poll() { try await Task.sleep(for: .milliseconds(200)) }
      } while await messenger.pollCondition().isBehind
    }
    return ["caught_up": .boolean(isDone != nil)]
  }

  private static let typing = OwnMethod(
    name: "typing", summary: "tell a contact that you are typing, or have stopped", scope: .send,
    parameters: [
      .chat, .required("state", .boolean, "true at least every 15 s while you are typing, false at the end"),
      .account,
    ],
    form: "done"
  ) { call, arguments, _ in
    let isTyping = try arguments.requiredBoolean("state")
    let messenger = try await call.messenger()
    let chat = try await messenger.conversation(in: arguments)
    // A client that is gone types no more. That of a single request is never there: it repeats them, or typing ends.
    if call.isOnLastingConnection {
      call.whenClientLeaves("typing \(messenger.id) \(chat)") { [isTyping] in
        if isTyping { try? await messenger.setTyping(false, in: chat) }
      }
    }
    try await messenger.setTyping(isTyping, in: chat, isReportedSeldom: true)
    return .done
  }

  private static let draft = OwnMethod(
    name: "draft.get", summary: "get the unsent draft of a conversation", scope: .read,
    parameters: [.chat, .account], form: "draft"
  ) { call, arguments, _ in
    let messenger = try await call.messenger()
    let view = try await messenger.existing(try await messenger.conversation(in: arguments))
    return try await messenger.draft(of: view.id)?.json
      ?? ["conversation": .string(view.id.description), "text": .string("")]
  }

  /// The most bytes of a file in one result.
  private static let maxPiece: Int64 = 262_144

  private static let attachment = OwnMethod(
    name: "attachment.read", summary: "read a part of a file that was downloaded", scope: .read,
    parameters: [
      .required("message", .number, "the number of the message"),
      .required("number", .number, "the number of the file in the message, from 1"),
      .optional("at", .number, "the first byte; 0 by default"),
      .optional("length", .number, "number of bytes, at most \(maxPiece), the default"),
      .optional("fd", .boolean, "true for a descriptor of the whole file, over a Unix socket"), .account,
    ], form: "file part"
  ) { call, arguments, _ in
    let id = MessageView.ID(rawValue: try arguments.requiredNumber("message", numbers))
    let number = try arguments.requiredNumber("number", numbers)
    let start = Int(try arguments.number("at", 0...1 << 53) ?? 0)
    let length = Int(try arguments.number("length", 1...maxPiece) ?? maxPiece)
    let isPassed = try arguments["fd"] != nil && arguments.requiredBoolean("fd")
    guard !isPassed || (arguments["at"] == nil && arguments["length"] == nil) else {
      throw RPCError.wrongParameter("fd", "without \"at\" and \"length\"")
    }
    let messenger = try await call.messenger()
    guard
      let file = try await messenger.existing(id).numberedAttachments.first(where: { $0.number == number })
    else { throw RPCError(65, "no-attachment", "message \(id.rawValue) has no file \(number)") }
    let size = JSONObject.Value.integer(UInt64(clamping: file.file.size))
    guard !isPassed else {
      let place = try await call.pass(file.file.id, of: messenger)
      return ["fd": .integer(UInt64(place)), "size": size, "end": .boolean(true)]
    }
    let (part, isEnd) = try await call.part(of: file.file.id, at: start, length: length, messenger)
    return [
      "data": .string(part.base64), "size": size, "end": .boolean(isEnd),
    ]
  }

  private static let badge = OwnMethod(
    name: "badge", summary: "count what is new in the accounts that are open", scope: .read, form: "badge"
  ) { call, _, io in
    var (total, accounts) = (UnreadCounts(), [JSONObject]())
    for account in await call.accounts() where account.state == "running" {
      let counts = try await UnreadCounts(
        in: call.messenger(named: account.name), at: Int64(clamping: io.now()))
      total = total + counts
      accounts.append(JSONObject(members: [("name", .string(account.name))] + counts.members))
    }
    var object: JSONObject = [:]
    for member in total.members { object[member.0] = member.1 }
    object["accounts"] = .objects(accounts)
    return object
  }

  private static let version = OwnMethod(
    name: "version", summary: "show the version of the program", scope: .read, form: "program"
  ) { _, _, _ in
    ["version": .string(SessionTool.version)]
  }
}

extension MethodParameter {
  fileprivate static let chat = Self(
    name: "chat", kind: .text, summary: "an id, 'me', or nick:NAME for a nickname", isRequired: true)
}

extension JSONObject {
  static let done: JSONObject = ["type": .string("done")]

  /// All of a list.
  static func list(_ items: [JSONObject]) -> JSONObject {
    JSONObject(members: [("items", .objects(items)), ("more", .boolean(false))])
  }
}

extension Messenger {
  fileprivate nonisolated func existing(_ id: MessageView.ID) async throws -> MessageView {
    guard let message = try await message(id) else {
      throw RPCError(65, "no-message", "there is no message \(id.rawValue)")
    }
    return message
  }

  fileprivate nonisolated func existing(_ id: Conversation.ID) async throws -> ConversationView {
    guard let view = try await conversation(id) else {
      throw RPCError(65, "no-conversation", "there is no conversation with \(id)")
    }
    return view
  }

  /// The conversation that a call is about.
  fileprivate nonisolated func conversation(in arguments: MethodArguments) async throws -> Conversation.ID {
    try await Directory(of: self).conversation(try arguments.requiredText("chat"), .serving(self))
  }
}
