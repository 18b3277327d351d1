import SessionBase
import SessionDaemon
import SessionMessaging

/// What a client has to know about a method.
struct MethodDescription: Sendable {
  enum Result: Hashable, Sendable {
    /// An object of one of these forms.
    case object([String])
    /// Any number of objects of one of these forms.
    case list([String])
    /// A list, or one object.
    case either([String])
    /// An object that another document describes.
    case document
  }

  let name: String
  let summary: String
  let scope: RPCScope?
  let parameters: [MethodParameter]
  let result: Result
}

extension MethodDescription {
  /// All public methods of a server, by name.
  static let all: [MethodDescription] =
    (CommandMethods.commands.compactMap { MethodDescription(of: $0) } + OwnMethod.all.map(\.description)
    + server).sorted { $0.name < $1.name }

  static func named(_ name: String) -> MethodDescription? { all.first { $0.name == name } }

  /// The commands whose result is a list.
  private static let listing: Set<String> = [
    "attachment list", "attachment save", "chats", "draft list", "files list", "scheduled list",
    "contacts list", "device list", "doctor", "group list",
    "group members",
    "hooks list",
    "jobs list", "key list", "key test", "net guards list", "net path", "readers dead", "readers list",
    "requests list", "search",
    "settings list", "tag list", "verify list",
  ]

  private init?(of command: Command) {
    switch command.rpc {
    case .method(let scope), .beside(let scope), .alone(let scope), .secret(let scope): self.scope = scope
    case .none: return nil
    }
    name = CommandMethods.name(of: command)
    summary = command.summary
    parameters = Self.parameters(of: command)
    let forms = JSONForm.forms(of: command.name).map(\.name)
    result =
      [Command.show.name, Command.send.name].contains(command.name)
      ? .either(forms) : Self.listing.contains(command.name) ? .list(forms) : .object(forms)
  }
}

extension MethodDescription {
  private static func parameters(of command: Command) -> [MethodParameter] {
    let secrets = GivenSecrets.parameters(of: command)
    var parameters = command.arguments.map { argument in
      MethodParameter(
        name: CommandMethods.parameter(of: argument),
        kind: .init(argument.name, isRepeated: argument.isRepeated), summary: argument.summary,
        isRequired: !argument.isOptional)
    }
    for option in command.options where option.name != "json" {
      if option.name == "account" {
        parameters.append(.account)
      } else if !secrets.contains(where: { $0.name == option.name }) {
        parameters.append(
          MethodParameter(
            name: CommandMethods.parameter(of: option),
            kind: option.name == "attach" ? .files : .init(option.value, isRepeated: option.isRepeated),
            summary: option.summary, isRequired: option.isRequired))
      }
    }
    parameters += secrets
    if CommandMethods.settles(command) {
      parameters.append(
        .optional("ack", .any, "reader and cursor of an event to acknowledge together with the change"))
    }
    return parameters
  }
}

extension OwnMethod {
  fileprivate var description: MethodDescription {
    MethodDescription(
      name: name, summary: summary, scope: scope, parameters: parameters,
      result: isList ? .list([form]) : .object([form]))
  }
}

extension MethodParameter.Kind {
  /// By the name that the help shows: `N`, `CHAT`, `on|off`; nil for a flag.
  fileprivate init(_ placeholder: String?, isRepeated: Bool) {
    guard let placeholder else {
      self = .boolean
      return
    }
    let words = placeholder.split(separator: "|").map(String.init)
    self =
      if isRepeated {
        .texts
      } else if placeholder == "on|off" {
        .boolean
      } else if placeholder == "SETTING" {
        .word(AccountSetting.all.map(\.name))
      } else if words.allSatisfy({ $0 == $0.lowercased() }) {
        .word(words)
      } else if ["ID", "N", "NUMBER", "TIME"].contains(placeholder) {
        .number
      } else if ["ID", "JOB", "WHEN"].contains(words[0]) {
        .any
      } else {
        .text
      }
  }
}

extension MethodDescription {
  private static let reader = MethodParameter.required(
    "reader", .text, "the name of the reader: up to 64 of a-z, 0-9 and . _ : -")
  private static let filter: [MethodParameter] = [
    .optional("kinds", .texts, "the kinds of events; all by default"),
    .optional("chats", .texts, "the ids of conversations; all by default"),
    .optional("incoming", .boolean, "true for messages of others only, false for own ones only"),
    .optional("requests", .boolean, "false to leave out message requests; true by default"),
  ]

  /// The methods of the server itself.
  private static let server: [MethodDescription] = [
    MethodDescription(
      name: "hello", summary: "tell who calls, and get the accounts and limits", scope: nil,
      parameters: [
        .optional("client", .text, "the name of the client"),
        .optional("version", .text, "the version of the client"),
        .optional("protocol", .number, "the protocol that the client speaks: 1"),
        .optional("account", .text, "the account of all later calls that name none"),
      ], result: .object(["greeting"])),
    MethodDescription(
      name: "daemon.ping", summary: "get the time, to see whether the connection lives", scope: nil,
      parameters: [], result: .object(["time"])),
    MethodDescription(
      name: "daemon.status", summary: Command.daemonStatus.summary, scope: .read, parameters: [],
      result: .object(["daemon"])),
    MethodDescription(
      name: "rpc.discover", summary: "get this document", scope: .read, parameters: [], result: .document),
    MethodDescription(
      name: "daemon.reload", summary: Command.daemonReload.summary, scope: .admin, parameters: [],
      result: .object(["reload"])),
    MethodDescription(
      name: "daemon.stop", summary: Command.daemonStop.summary, scope: .admin, parameters: [],
      result: .object(["acknowledgement"])),
    MethodDescription(
      name: "daemon.restart", summary: Command.daemonRestart.summary, scope: .admin, parameters: [],
      result: .object(["acknowledgement"])),
    MethodDescription(
      name: "account.unlock",
      summary: "open a locked account, with its passphrase or what opens it without a person", scope: .admin,
      parameters: [
        .required("name", .text, "the account"),
        .optional(
          "passphrase", .secret,
          "the passphrase; if missing, that in the file that comes with the call, or none"),
      ], result: .object(["acknowledgement"])),
    MethodDescription(
      name: "file.begin", summary: "begin to send the content of a file, for the parameter attach",
      scope: .send,
      parameters: [
        .required("name", .text, "the name of the file"),
        .optional("size", .number, "its size in bytes, if it is known"),
      ], result: .object(["upload"])),
    MethodDescription(
      name: "file.chunk", summary: "send some of the content", scope: .send,
      parameters: [
        .required("upload", .text, "the name of the upload"),
        .required("at", .number, "the number of bytes before these"),
        .required("data", .text, "the content in base64, at most `chunk` bytes"),
      ], result: .object(["acknowledgement"])),
    MethodDescription(
      name: "file.end", summary: "complete the content", scope: .send,
      parameters: [
        .required("upload", .text, "the name of the upload"),
        .optional("blake2b", .text, "the BLAKE2b hash of the content, 64 hexadecimal digits, to check it"),
      ], result: .object(["uploaded file"])),
    MethodDescription(
      name: "file.drop", summary: "delete an upload, or an uploaded file", scope: .send,
      parameters: [
        .optional("upload", .text, "the name of the upload"),
        .optional("file", .text, "the name of the file"),
      ], result: .object(["acknowledgement"])),
    MethodDescription(
      name: "events.subscribe", summary: "get events as notifications", scope: .read,
      parameters: [
        .optional("reader", .text, "a name under which acknowledgements are stored"),
        .optional("from", .any, "the number of an event, \"start\" or \"new\""),
      ] + filter + [
        .optional("ack", .word(["explicit", "auto", "none"]), "how events are acknowledged"),
        .optional("window", .number, "the most unacknowledged events, 1 to 1000; 100 by default"),
        .optional("max_tries", .number, "after so many deliveries without an answer an event is set aside"),
        .optional(
          "signals", .texts,
          "what to tell besides events, of: \(Signal.Kind.allCases.map(\.rawValue).joined(separator: ", "))"),
        .optional("take_over", .boolean, "true to end another subscription of the reader"),
        .optional("accounts", .texts, "several accounts instead of one, or \"*\" for all"), .account,
      ], result: .object(["subscription"])),
    MethodDescription(
      name: "events.unsubscribe", summary: "end a subscription", scope: .read,
      parameters: [.required("subscription", .text, "the name of the subscription")],
      result: .object(["acknowledgement"])),
    MethodDescription(
      name: "events.ack", summary: "acknowledge an event and all before it", scope: .read,
      parameters: [reader, .required("cursor", .number, "the number of the event"), .account],
      result: .object(["acknowledgement"])),
    MethodDescription(
      name: "events.nack", summary: "have the first unacknowledged event delivered again", scope: .read,
      parameters: [
        reader, .required("cursor", .number, "the number of the event"),
        .optional("reason", .text, "why it cannot be handled, for 'session readers dead'"),
        .optional("delay_ms", .number, "how long to wait before, at most an hour; 0 by default"), .account,
      ], result: .object(["acknowledgement"])),
    MethodDescription(
      name: "events.next", summary: "get the next events of a reader", scope: .read,
      parameters: [reader] + filter + [
        .optional("ack", .number, "the number of an event to acknowledge first, with all before it"),
        .optional("limit", .number, "the most events, 1 to 1000; 100 by default"),
        .optional("wait_ms", .number, "how long to wait for the first event, at most 60000; 0 by default"),
        .account,
      ], result: .object(["page of events"])),
  ]
}
