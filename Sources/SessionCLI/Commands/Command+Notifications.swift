import Glibc
import SessionBase
import SessionDaemon
import SessionDesktop

extension Command {
  static let notificationsRun = Command(
    name: "notifications run",
    summary: "show notifications of a daemon on this desktop",
    discussion: """
      A daemon that your desktop session has started shows notifications by itself. This command does it for a daemon that
      runs as a service of the system, or on another machine whose socket ssh brings here. It ends with Ctrl-C, and waits for
      the daemon while there is none. A socket of other users needs the scopes read, send and manage. A click opens nothing
      with --socket.

      What notifications show is a setting of each account: 'session settings list'. 'session dnd' holds them back.
      """,
    options: [
      .init(name: "socket", value: "FILE", summary: "the socket of the daemon; your own daemon by default")
    ],
    examples: [
      .init(line: "session notifications run", summary: "show notifications of your daemon"),
      .init(
        line: "session notifications run --socket /run/session/daemon.sock",
        summary: "show those of the daemon of this machine"),
    ],
    rpc: .none(.isClient)
  ) { invocation, io in
    let roots = try io.roots()
    guard Bus.sessionAddress(io.environment) != nil else {
      throw CommandFailure(
        status: .unavailable, message: "there is no desktop session here: no session bus was found",
        advice: "Run it in a desktop session, or set DBUS_SESSION_BUS_ADDRESS.")
    }
    let socket = invocation["socket"]
    let notifications = DesktopNotifications(
      io: io, roots: roots,
      connect: { hear in
        if let socket { return try RPCClient(to: socket, hear: hear) }
        guard let path = DaemonClient.socket(io), let client = try? RPCClient(to: path, hear: hear),
          client.serverUser == geteuid()
        else { throw DaemonClient.notRunning }
        return client
      }, canOpen: socket == nil, tell: io.tell)
    do {
      return try await cancelledBySignals {
        await notifications.run()
        throw CancellationError()
      }
    } catch is CancellationError {
      return CommandOutput()
    }
  }

  static let dnd = Command(
    name: "dnd",
    summary: "set or show do-not-disturb",
    discussion: """
      Holds back the notifications of all accounts on this machine. Messages still arrive, and locked accounts and answers
      that could not be sent are still shown. At the end, one notification for each account says how many there were.
      'session config set dnd_schedule 22:00-07:00' holds them back every day; 'session dnd off' does not end that.
      """,
    arguments: [
      .init(
        name: "on|off|TIME", parameter: "state",
        summary: "on, off, or how long, such as 2h; shows the state by default",
        isOptional: true)
    ],
    options: [.json],
    examples: [
      .init(line: "session dnd 2h", summary: "hold back notifications for two hours"),
      .init(line: "session dnd off", summary: "end do-not-disturb; the daily schedule still applies"),
    ],
    rpc: .none(.isPersonal)
  ) { invocation, io in
    let quiet = DoNotDisturb(in: try io.roots())
    let now = Int64(clamping: io.now())
    if let word = invocation.arguments.first {
      try quiet.set(try invocation.quietState(word, at: now))
      guard invocation.has("json") else { return CommandOutput() }
    }
    let current = quiet.current(io)
    guard !invocation.has("json") else { return CommandOutput(json: current.json(at: now)) }
    return CommandOutput(text: current.line(at: now) + "\n")
  }
}

extension Invocation {
  fileprivate func quietState(_ word: String, at now: Int64) throws(CommandFailure) -> QuietTime.State {
    switch word {
    case "on": return .on
    case "off": return .off
    default:
      guard let span = TimeSpan(word), span.seconds > 0, span.seconds <= 366 * 86_400 else {
        throw misuse("'\(word)' is not on, off or a time of up to a year, such as 2h")
      }
      return .until(now + span.seconds * 1000)
    }
  }
}

extension QuietTime {
  fileprivate func json(at now: Int64) -> JSONObject {
    var object: JSONObject = ["type": .string("dnd"), "active": .boolean(contains(now))]
    switch state {
    case .on: object["state"] = .string("on")
    case .until(let end) where end > now:
      object["state"] = .string("until")
      object["until"] = .time(end)
    case .off, .until: object["state"] = .string("off")
    }
    object["schedule"] = schedule.map { .string($0.text) }
    return object
  }

  /// For eyes.
  fileprivate func line(at now: Int64) -> String {
    let daily = schedule.map { ", every day \($0.text)" } ?? ""
    switch state {
    case .on: return "on"
    case .until(let end) where end > now: return "until \(LocalTime.text(end))\(daily)"
    case .off, .until: return (contains(now) ? "on by the schedule" : "off") + daily
    }
  }
}
