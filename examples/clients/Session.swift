// A client of `session daemon`, for bots in Swift: one file, and nothing but the standard library, Foundation and Glibc.
//
//     let session = Session(account: "bot")
//     try session.events("echo", ["kinds": ["messageReceived"], "incoming": true]) { event in
//       guard let message = event.message, let text = message["body"] as? String, !text.isEmpty else { return }
//       try session.send(text, to: event.conversation, ["reply_to": message["id"]!], answering: event)
//     }
//
// Events are delivered until they are acknowledged, which happens when the closure returns. The client connects again
// whenever the daemon ends, and repeats the call that was under way. A text that answers an event has a key, so that it is
// sent once although the event may come twice, after a crash. `session help bots` describes the methods.

import Foundation
import Glibc

/// A call that failed. Act on the code, then on the kind; show the message to people.
public struct SessionError: Error, CustomStringConvertible {
  public let code: Int
  public let kind: String
  public let message: String
  public let advice: String?

  public var description: String { advice.map { "\(message). \($0)" } ?? message }

  /// The connection broke in a change that must not be repeated blindly: look whether it was made.
  static func outcomeUnknown(_ method: String) -> SessionError {
    SessionError(
      code: 76, kind: "outcome-unknown", message: "the connection broke during \(method)", advice: nil)
  }

  init(code: Int, kind: String, message: String, advice: String?) {
    (self.code, self.kind, self.message, self.advice) = (code, kind, message, advice)
  }

  init(_ error: [String: Any]) {
    let data = error["data"] as? [String: Any] ?? [:]
    self.init(
      code: error["code"] as? Int ?? -32603, kind: data["kind"] as? String ?? "",
      message: error["message"] as? String ?? "the call failed", advice: data["advice"] as? String)
  }

  /// The daemon has ended a subscription.
  init(ended kind: String) {
    self.init(
      code: ["no-account": 78, "limit-reached": 71][kind] ?? 75, kind: kind,
      message: "the daemon has ended the subscription: \(kind)", advice: nil)
  }
}

/// Events were lost: read again what matters, then go on.
public struct SessionGap: Error {
  /// The account whose events they were.
  public let account: String
  /// The oldest and the newest event that are stored, and the first and last that are gone.
  public let oldest, newest, lostFrom, lostTo: Int64

  init(_ gap: [String: Any], of account: String) {
    self.account = account
    func number(_ name: String) -> Int64 { (gap[name] as? NSNumber)?.int64Value ?? 0 }
    (oldest, newest) = (number("oldest"), number("newest"))
    (lostFrom, lostTo) = (number("lost_from"), number("lost_to"))
  }
}

/// Something that happened in an account, as the daemon stores it.
public struct SessionEvent {
  /// The name under which it was delivered, and its number.
  public let reader: String
  public let cursor: Int64
  /// The name of its account.
  public let account: String
  /// All of its members.
  public let members: [String: Any]

  /// Such as `messageReceived`.
  public var kind: String { members["event"] as? String ?? "" }
  public var conversation: String { members["conversation"] as? String ?? "" }
  /// The message as it is now; nil if it was deleted.
  public var message: [String: Any]? { members["message"] as? [String: Any] }
  /// How often it was delivered, this time included.
  public var tries: Int { members["tries"] as? Int ?? 1 }
}

/// A connection to the daemon, for one thread.
public final class Session {
  /// The connection has ended.
  private struct Lost: Error {}

  /// The most bytes of a reply.
  private static let maxLine = 8 << 20
  /// Calls that change something, and may not be repeated when the connection broke before the reply.
  private static let unrepeatable: Set<String> = [
    "delete", "resend", "group.create", "group.invite", "group.promote", "group.remove", "group.leave",
    "group.delete", "requests.accept", "requests.decline", "requests.block", "contacts.delete",
  ]

  private let account: String?
  private let path: String?
  private let name: String
  private var socket: Int32 = -1
  private var buffer: [UInt8] = []
  private var lastCall = 0
  private var subscription: String?
  /// Parameters of the subscription, in the form of `events`.
  private var reading: Data?
  /// The event that it delivered and that is not acknowledged yet.
  private var unacknowledged: (account: String, cursor: Int64)?
  /// Events that were delivered and not handled, and errors to throw, in order.
  private var waiting: [Result<(account: String, members: [String: Any]), any Error>] = []

  /// A client for an account; the only account of the daemon for nil. `path` is that of another socket.
  public init(account: String? = nil, path: String? = nil, name: String = "Session.swift") {
    (self.account, self.path, self.name) = (account, path, name)
  }

  deinit { close() }

  public func close() {
    if socket >= 0 { Glibc.close(socket) }
    socket = -1
    (buffer, waiting, subscription, reading, unacknowledged) = ([], [], nil, nil, nil)
  }

  /// The path of the daemon's socket.
  public static var defaultPath: String {
    let variables = ProcessInfo.processInfo.environment
    if let path = variables["SESSION_SOCKET"], !path.isEmpty { return path }
    var places: [String] = []
    if let folder = variables["XDG_RUNTIME_DIR"], !folder.isEmpty {
      places.append("\(folder)/session/daemon.sock")
    }
    let state = variables["XDG_STATE_HOME"] ?? "\(variables["HOME"] ?? NSHomeDirectory())/.local/state"
    places.append("\(state)/session/run/daemon.sock")
    return places.first { FileManager.default.fileExists(atPath: $0) } ?? places[0]
  }

  // MARK: - Calls

  /// The result of a method. Waits for the daemon, also while it starts again.
  @discardableResult
  public func call(_ method: String, _ params: [String: Any] = [:]) throws -> [String: Any] {
    while true {
      try connect()
      do { return try exchange(method, params) } catch is Lost {
        close()
        let mayRepeat = method == "send" ? params["key"] != nil : !Self.unrepeatable.contains(method)
        guard mayRepeat else { throw SessionError.outcomeUnknown(method) }
      }
    }
  }

  /// Sends a text. With an event it is sent once for that event; `part` tells several texts of one event apart.
  @discardableResult
  public func send(
    _ text: String, to recipient: String, _ more: [String: Any] = [:], answering event: SessionEvent? = nil,
    part: Int = 0
  ) throws -> [String: Any] {
    var params = more
    (params["to"], params["text"]) = (recipient, text)
    if params["key"] == nil {
      let key = event.map { "\($0.reader):\($0.cursor)" + (part > 0 ? ":\(part)" : "") }
      params["key"] = key ?? UUID().uuidString
    }
    if let event, params["account"] == nil { params["account"] = event.account }
    return try call("send", params)
  }

  // MARK: - Events

  /// Handles events until the body throws, from behind the last one that was acknowledged under this name.
  ///
  /// An event is acknowledged when the body returns; one for which it throws comes again when this is called again. Throws
  /// `SessionGap` in the place of events that were lost; called again, it goes on behind them. Throws `SessionError` when the
  /// daemon ends the subscription: of the kind "taken-over" when another program reads under this name.
  public func events(
    _ reader: String, _ filter: [String: Any] = [:], _ body: (SessionEvent) throws -> Void
  ) throws -> Never {
    var params = filter
    // A connection that broke may still count for a moment.
    (params["reader"], params["take_over"]) = (reader, true)
    let wanted = try JSONSerialization.data(withJSONObject: params, options: .sortedKeys)
    while true {
      // Only a new subscription begins behind the last acknowledgement.
      if unacknowledged != nil || (reading != nil && reading != wanted) { close() }
      try connect()
      let next: Result<(account: String, members: [String: Any]), any Error>
      do {
        if subscription == nil {
          try subscribe(params)
          reading = wanted
        }
        while waiting.isEmpty { take(try read()) }
        next = waiting.removeFirst()
      } catch is Lost {
        close()
        continue
      }
      if case .failure(let error) = next, error is SessionError { close() }
      let (account, members) = try next.get()
      guard let cursor = (members["cursor"] as? NSNumber)?.int64Value else { continue }
      unacknowledged = (account, cursor)
      try body(SessionEvent(reader: reader, cursor: cursor, account: account, members: members))
      try call("events.ack", ["reader": reader, "account": account, "cursor": cursor])
      if let open = unacknowledged, open == (account, cursor) { unacknowledged = nil }
    }
  }

  private func subscribe(_ params: [String: Any]) throws {
    let result = try exchange("events.subscribe", params)
    subscription = result["subscription"] as? String
    for position in result["positions"] as? [[String: Any]] ?? [] {
      guard let gap = position["gap"] as? [String: Any] else { continue }
      waiting.insert(.failure(SessionGap(gap, of: position["account"] as? String ?? "")), at: 0)
    }
  }

  /// Takes a notification. Ignore unknown notifications.
  private func take(_ message: [String: Any]) {
    guard let params = message["params"] as? [String: Any],
      // The first events may come before the reply to the subscription.
      subscription == nil || params["subscription"] as? String == subscription
    else {
      if message["method"] as? String == "bye" { shutdown(socket, Int32(SHUT_RDWR)) }
      return
    }
    let account = params["account"] as? String ?? ""
    switch message["method"] as? String {
    case "event":
      if let event = params["event"] as? [String: Any] { waiting.append(.success((account, event))) }
    case "signal" where params["kind"] as? String == "gap":
      waiting.append(.failure(SessionGap(params, of: account)))
    // What was delivered and not handled is delivered again to the next reader.
    case "subscription.ended" where subscription != nil:
      waiting = [.failure(SessionError(ended: params["kind"] as? String ?? ""))]
    // The next read ends.
    case "bye": shutdown(socket, Int32(SHUT_RDWR))
    default: break
    }
  }

  // MARK: - The connection

  private func connect() throws {
    var pause: UInt32 = 100_000
    while socket < 0 {
      do {
        try open(path ?? Self.defaultPath)
        var hello: [String: Any] = ["client": name, "protocol": 1]
        if let account { hello["account"] = account }
        _ = try exchange("hello", hello)
      } catch is Lost {
        close()
        usleep(pause)
        pause = min(pause * 2, 10_000_000)
      } catch {
        // Later calls would go to another account.
        close()
        throw error
      }
    }
  }

  private func open(_ path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Lost() }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Lost() }
  }

  private func exchange(_ method: String, _ params: [String: Any]) throws -> [String: Any] {
    lastCall += 1
    let call: [String: Any] = ["jsonrpc": "2.0", "id": lastCall, "method": method, "params": params]
    try write(Array(try JSONSerialization.data(withJSONObject: call)) + [UInt8(ascii: "\n")])
    while true {
      let reply = try read()
      guard reply["id"] as? Int == lastCall else {
        take(reply)
        continue
      }
      if let result = reply["result"] { return result as? [String: Any] ?? [:] }
      let error = SessionError(reply["error"] as? [String: Any] ?? [:])
      if error.kind == "stopping" { throw Lost() }
      throw error
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 || errno == EINTR else { throw Lost() }
      rest = rest.dropFirst(max(count, 0))
    }
  }

  /// The next line of the daemon.
  private func read() throws -> [String: Any] {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(buffer[..<end])
        buffer.removeSubrange(...end)
        guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else {
          throw Lost()
        }
        return object
      }
      searched = buffer.count
      guard buffer.count <= Self.maxLine else { throw Lost() }
      var piece = [UInt8](repeating: 0, count: 65536)
      let count = recv(socket, &piece, piece.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Lost() }
      buffer += piece[..<count]
    }
  }
}
