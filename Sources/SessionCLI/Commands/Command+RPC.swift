import Glibc
import SessionBase
import SessionDaemon
import SessionStorage

extension Command {
  static let rpc = Command(
    name: "rpc",
    summary: "call a method of the daemon, or speak JSON-RPC on standard input and output",
    discussion: """
      With METHOD it makes one call and prints the result as one line of JSON; an error ends it with its exit code. PARAM is
      name=TEXT, name:=JSON, or one JSON object with all parameters; '-' reads that object from standard input.

      Without METHOD it passes the lines of standard input to the daemon, and what the daemon writes to standard output. It
      ends with the input, after the last reply. A program can start it and speak to it where sockets are inconvenient, also
      on another machine: ssh HOST session rpc.

      If no daemon runs, it serves the account itself while it lasts. Neither SESSION_ACCOUNT nor 'session account use'
      applies here: without --account, the only account is used, or the one that a call names. 'session help bots' describes
      the methods.
      """,
    arguments: [
      .init(name: "METHOD", summary: "the method to call, such as contacts.list", isOptional: true),
      .init(
        name: "PARAM|-", summary: "its parameters; '-' reads them from standard input", isOptional: true,
        isRepeated: true),
    ],
    options: [
      .init(
        name: "socket", value: "FILE",
        summary: "the socket of another daemon; SESSION_SOCKET sets it for all calls"),
      .timeout, .account,
    ],
    examples: [
      .init(line: "session rpc chats --account bot", summary: "make one call"),
      .init(
        line: "session rpc send to=05d2…3a72 text=Done key=backup:1",
        summary: "send a message; repeating the call sends no second one"),
      .init(line: "session rpc events.next reader=bot limit:=10", summary: "read events"),
      .init(line: "coproc session rpc --account bot", summary: "talk to the daemon from a bash script"),
    ],
    rpc: .none(.isClient)
  ) { invocation, io in
    let call = try RPCWords(invocation, io)
    return try await RPCVisit(invocation, io).run { link in
      guard let call else {
        try await RPCStreams(link: link, io: io).run()
        return CommandOutput()
      }
      return CommandOutput(text: "\(try await link.call(call.method, call.params))\n")
    }
  }
}

/// The call that the words of a command line mean.
struct RPCWords: Sendable {
  let method: String
  let params: JSONValue

  /// Nil for a command line without a method.
  init?(_ invocation: Invocation, _ io: CommandIO) throws {
    guard let method = invocation.arguments.first else { return nil }
    self.method = method
    let words = invocation.arguments.dropFirst()
    guard let first = words.first, first == "-" || first.hasPrefix("{") else {
      params = try Self.params(words, invocation)
      return
    }
    guard words.count == 1 else { throw invocation.misuse("unexpected argument after the JSON object") }
    let text = first == "-" ? try io.read(nil, RPCLimits.line) : Array(first.utf8)
    do throws(JSONReader.Mistake) { params = try JSONReader.value(of: text) } catch {
      throw CommandFailure.data("the parameters are not JSON: \(error.rawValue)")
    }
    guard case .object = params else { throw CommandFailure.data("the parameters are not a JSON object") }
  }

  /// Parameters of the forms name=TEXT and name:=JSON.
  private static func params(_ words: some Collection<String>, _ invocation: Invocation) throws -> JSONValue {
    var members: [JSONValue.Member] = []
    for word in words {
      // By scalars: a mark that is drawn over the = does not hide it.
      let scalars = word.unicodeScalars
      guard let cut = scalars.firstIndex(of: "=") else {
        throw invocation.misuse("'\(word)' is not a parameter: give name=TEXT or name:=JSON")
      }
      let isJSON = scalars[..<cut].last == ":"
      let name = String(isJSON ? scalars[..<cut].dropLast() : scalars[..<cut])
      let text = String(scalars[scalars.index(after: cut)...])
      guard !members.contains(where: { $0.name == name }) else {
        throw invocation.misuse("\(name) is given twice; \(name):=[…] gives several values")
      }
      guard isJSON else {
        members.append(.init(name, .string(text)))
        continue
      }
      do throws(JSONReader.Mistake) {
        members.append(.init(name, try JSONReader.value(of: Array(text.utf8))))
      } catch {
        throw CommandFailure.data("the value of \(name) is not JSON: \(error.rawValue)")
      }
    }
    return .object(members)
  }
}
