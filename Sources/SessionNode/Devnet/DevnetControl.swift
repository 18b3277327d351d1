public import SessionCore
import SessionService

/// Lets other processes of the same user inspect and change their devnet.
public final class DevnetControl: Sendable {
  static let protocolName = "session-devnet"

  private let control: LocalControl

  /// Starts listening, and writes its address. Calls `down` on a request to stop the devnet.
  public init(_ devnet: Devnet, down: @escaping @Sendable () async -> Void) throws(SessionError) {
    let handlers: [DevnetCommand: LocalControl.Handler] = [
      .status: { _ in await devnet.status().text },
      .kill: { text in
        try await devnet.kill(try DevnetCommand.number(text))
        return ""
      },
      .start: { text in
        try await devnet.revive(try DevnetCommand.number(text))
        return ""
      },
      .weather: { text in
        try await devnet.change(try WeatherChange(parsing: text))
        return ""
      },
      .down: { _ in
        await down()
        return ""
      },
    ]
    control = try LocalControl(
      Self.protocolName, file: devnet.controlFile,
      handlers: Dictionary(uniqueKeysWithValues: handlers.map { ($0.key.rawValue, $0.value) }))
  }

  public func stop() async { await control.stop() }
}

/// A devnet of another process.
public struct DevnetRemote: Sendable {
  private let remote: LocalRemote

  /// Throws `noDevnet` where none has begun.
  public init(folder: String) throws {
    guard let remote = try LocalRemote(DevnetControl.protocolName, file: folder + "/control") else {
      throw NodeFailure.noDevnet(folder)
    }
    self.remote = remote
  }

  public func status() async throws -> DevnetStatus {
    guard let status = DevnetStatus(parsing: try await send(.status)) else {
      throw ServiceFailure.request("the devnet was started by another version of this program")
    }
    return status
  }

  /// Ends a node.
  public func kill(_ number: Int) async throws { _ = try await send(.kill, "\(number)") }
  /// Starts a node again.
  public func start(_ number: Int) async throws { _ = try await send(.start, "\(number)") }
  public func change(_ change: WeatherChange) async throws { _ = try await send(.weather, change.text) }
  /// Has the devnet end.
  public func down() async throws { try await remote.end(DevnetCommand.down.rawValue) }
  public func close() async { await remote.close() }

  private func send(_ command: DevnetCommand, _ text: String = "") async throws -> String {
    try await remote.send(command.rawValue, text)
  }
}

/// Commands to a devnet, as text.
enum DevnetCommand: String {
  case status
  case kill
  case start
  case weather
  case down

  static func number(_ text: String) throws(ServiceFailure) -> Int {
    guard let number = Int(text) else { throw .request("'\(text)' is not the number of a node") }
    return number
  }
}
