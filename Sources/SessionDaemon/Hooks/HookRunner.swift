import SessionBase
import SessionCore
import SessionMessaging

/// Runs the program of a hook for one event.
struct HookRunner: Sendable {
  enum Outcome: Hashable, Sendable {
    case handled
    /// The program asks to be run again later.
    case later
    /// It was ended because this program ends.
    case stopped
  }

  /// The exit code of a program that asks to be run again later.
  private static let laterCode: Int32 = 75

  let log: HookLog
  let render: RPCMethod.EventRendering
  /// The variables of this program.
  let environment: [String: String]
  /// The path of the daemon's socket, if it has one.
  let socket: String?
  /// Bounds how many programs run.
  let permits: Permits
  let pace: ReplyPace
  let stop: HookStop

  /// Runs the program, and sends its answer.
  func run(_ hook: Hook, for event: DeliveredEvent, of messenger: Messenger) async throws -> Outcome {
    do {
      guard let text = try await output(of: hook, for: event, of: messenger) else { return .later }
      if hook.replies { try await reply(text, hook, to: event, messenger) }
      return .handled
    } catch is HookStopped {
      return .stopped
    }
  }

  /// What the program writes; nil if it asks to be run again later.
  func output(of hook: Hook, for event: DeliveredEvent, of messenger: Messenger) async throws -> String? {
    guard await permits.take() else { throw HookStopped() }
    let process: HookProcess.Outcome
    do {
      defer { permits.giveBack() }
      guard !stop.latch.isOpen else { throw HookStopped() }
      process = try await start(hook, event, messenger)
    }
    switch process.ending {
    case .exited(0): break
    case .exited(Self.laterCode): return nil
    case .exited(let code): throw HookFailure("the program ended with \(code)")
    case .killed(let signal): throw HookFailure("the program was ended by signal \(signal)")
    case .timedOut: throw HookFailure("the program ran longer than \(hook.timeout)")
    case .tooMuchOutput:
      throw HookFailure("the program wrote more than \(HookProcess.maxOutput) bytes")
    case .stopped: throw HookStopped()
    }
    guard let text = String(validating: process.output, as: UTF8.self) else {
      throw HookFailure("the program did not write UTF-8")
    }
    return text
  }

  /// Runs the program, on a thread of its own.
  private func start(
    _ hook: Hook, _ event: DeliveredEvent, _ messenger: Messenger
  ) async throws -> HookProcess.Outcome {
    let input = Array((try await render(event, messenger) + "\n").utf8)
    let (log, stop, variables) = (log, stop, variables(hook, event))
    return try await WorkerQueue("session.hook").run { () throws(HookFailure) in
      do {
        let process = HookProcess(
          program: try HookProgram(checking: hook.command[0]), command: hook.command,
          environment: variables, folder: hook.folder, timeout: hook.timeout, log: log)
        return try process.run(input: input, stop: stop)
      } catch { throw HookFailure("\(error)") }
    }
  }

  /// The environment of the program. What others wrote or named is not in it.
  func variables(_ hook: Hook, _ event: DeliveredEvent) -> [String: String] {
    var all = environment.filter { ["PATH", "HOME", "LANG"].contains($0.key) }
    all.merge(hook.environment) { $1 }
    all["SESSION_EVENT"] = event.event.kind.rawValue
    all["SESSION_CURSOR"] = "\(event.event.id.rawValue)"
    all["SESSION_ACCOUNT"] = event.account
    all["SESSION_CHAT"] = event.event.conversation?.description
    all["SESSION_PERSON"] = event.event.person?.description
    all["SESSION_MESSAGE_ID"] = event.event.message.map { "\($0.rawValue)" }
    all["SESSION_KEY"] = key(hook, event)
    all["SESSION_SOCKET"] = socket
    return all
  }

  private func key(_ hook: Hook, _ event: DeliveredEvent) -> String {
    "\(hook.reader):\(event.event.id.rawValue)"
  }

  private func reply(
    _ output: String, _ hook: Hook, to event: DeliveredEvent, _ messenger: Messenger
  ) async throws {
    let text = String(output.reversed().drop(while: \.isNewline).reversed())
    guard !text.isEmpty, let conversation = event.event.conversation,
      let key = SendKey(key(hook, event))
    else { return }
    do {
      guard await pace.wait(in: conversation, stop) else { throw HookStopped() }
      try await messenger.send(OutgoingText(text), to: conversation, key: key)
    } catch let error as MessengerError where error.code == .keyConflict {
      // An earlier run answered already, with another text, before this program ended.
    } catch let error as MessengerError {
      throw HookFailure("the answer cannot be sent: \(error.message)")
    }
  }
}

/// Why the program of a hook did not handle an event.
struct HookFailure: Error, Hashable {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// This program ends, and the event is not handled.
struct HookStopped: Error {}
