import Glibc
import SessionBase
import SessionDaemon
import SessionMessaging
import SessionStorage

/// A connection to the program that serves an account, for `session rpc`: the daemon, or this program itself if none runs.
struct RPCVisit: Sendable {
  /// The variable that names the socket of a daemon.
  static let variable = "SESSION_SOCKET"

  private let invocation: Invocation
  private let io: CommandIO
  /// True without a method to call: a signal then ends the work well.
  private var isLasting: Bool { invocation.arguments.isEmpty }

  init(_ invocation: Invocation, _ io: CommandIO) {
    self.invocation = invocation
    var io = io
    // What a person chose for commands must not change the identity of a bot.
    io.environment[AccountBook.variable] = nil
    io.settings.account = nil
    self.io = io
  }

  /// Does something over the connection, and closes it.
  func run(
    _ work: @escaping @Sendable (RPCLink) async throws -> CommandOutput
  ) async throws -> CommandOutput {
    do {
      guard let link = try await daemon() else { return try await serving(work) }
      return try await cancelledBySignals {
        try await doing {
          try await ending(work, link)
        } andThen: {
          await link.close()
        }
      }
    } catch let error as RPCError {
      throw CommandFailure(error)
    } catch is RPCLink.Ended {
      throw CommandFailure(
        status: .temporary, message: "the daemon has ended", advice: "Run the command again.")
    }
  }

  private func ending(
    _ work: (RPCLink) async throws -> CommandOutput, _ link: RPCLink
  ) async throws -> CommandOutput {
    do { return try await work(link) } catch let error as CancellationError {
      try Interruption.check()
      guard isLasting else { throw error }
      return CommandOutput()
    }
  }

  // MARK: - The daemon

  /// How long the daemon may take to greet.
  private static let greetingTimeout = Duration.seconds(5)

  /// A connection to the daemon; nil if none serves the account.
  private func daemon() async throws -> RPCLink? {
    let named = invocation["socket"] ?? io.environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
    if let path = named {
      guard let link = try? RPCLink(to: path) else {
        throw CommandFailure(
          status: .unavailable, message: "no program listens at \(path)",
          advice: "Check the path, and that the daemon runs.")
      }
      _ = try await greeting(of: link)
      return link
    }
    guard let path = DaemonClient.socket(io), let link = try? RPCLink(to: path) else { return nil }
    let roots = try io.roots()
    do {
      let reply = try await withinTime(Self.greetingTimeout) { try await greeting(of: link) }
      if let reply, link.serverUser == geteuid(), RPCLink.serves("\(roots.data)/accounts", by: reply) {
        return link
      }
      io.tell(
        reply == nil
          ? "the daemon does not answer" : "the daemon at \(path) belongs to another user or home")
    } catch is RPCLink.Ended {
      // It is about to end.
    } catch let error as RPCError where error.kind == "no-account" {
      // It serves other accounts only.
    }
    await link.close()
    return nil
  }

  /// The reply to a greeting, which tells the server the account of all later calls.
  private func greeting(of link: RPCLink) async throws -> JSONValue {
    var params: [JSONValue.Member] = [
      .init("client", "session rpc"), .init("version", .string(SessionTool.version)),
    ]
    if let account = invocation["account"] { params.append(.init("account", .string(account))) }
    return try await link.call("hello", .object(params))
  }

  // MARK: - This program

  /// False for one call of a method that only reads.
  private var changesSomething: Bool {
    guard let name = invocation.arguments.first else { return true }
    let scope = MethodDescription.named(name)?.scope
    return scope != nil && scope != .read
  }

  /// Serves the account, and continues with the program that holds it if there is another one.
  private func serving(
    _ work: @escaping @Sendable (RPCLink) async throws -> CommandOutput
  ) async throws -> CommandOutput {
    let (_, account) = try invocation.account(io)
    let timeout = try invocation.timeout()
    let changesSomething = changesSomething
    let resident = ResidentAccount(account.name)
    let link = try RPCLink(
      serving: resident, dataRoot: Folder.of(account.data), version: SessionTool.version,
      methods: CommandMethods.served(io, ClientFiles(in: try io.roots())))
    let over = Latch()
    let task = Task {
      defer { over.open() }
      return try await work(link)
    }
    return try await doing {
      try await invocation.working(io, staying: true) { opened in
        await resident.enter(opened.messenger)
        await over.wait()
        await resident.leave()
        guard over.isOpen else {
          try Interruption.check()
          // It continues with the next program that holds the account.
          if opened.isOrphaned { throw HolderGone() }
          guard isLasting else { throw CancellationError() }
          return CommandOutput()
        }
        let output = try await task.value
        guard changesSomething else { return output }
        // What was changed has to reach the network.
        _ = try await withinTime(timeout) { try await opened.messenger.waitUntilSettled() }
        return output
      }
    } andThen: {
      task.cancel()
      _ = await task.result
      await link.close()
    }
  }
}
