import SessionBase
import SessionDaemon

/// The settings of a running daemon, which it reads again on request.
actor LiveSettings {
  private(set) var current: DaemonSettings
  /// Reads the settings. Hooks with a mistake stay as in older settings, if those are given.
  private let read: @Sendable (_ older: DaemonSettings?) throws -> DaemonSettings
  /// Puts new settings into effect; nil while the daemon starts.
  private var apply: (@Sendable (DaemonSettings) async throws -> Void)?
  /// Opens when the settings change.
  private var change = Latch()
  /// Opens when the reload under way has ended; nil if there is none.
  private var reloading: Latch?

  /// Throws the first mistake in the settings.
  init(_ read: @escaping @Sendable (_ older: DaemonSettings?) throws -> DaemonSettings) throws {
    current = try read(nil)
    self.read = read
  }

  /// New settings take effect in this way from now on.
  func apply(_ apply: @escaping @Sendable (DaemonSettings) async throws -> Void) { self.apply = apply }

  /// Returns when the settings have changed, or the task is cancelled.
  func nextChange() async { await change.wait() }

  /// Throws the first mistake that a start with the current files would end with.
  func check() throws { _ = try read(nil) }

  /// Reads the settings again, and puts them into effect. Keeps the old ones if there is a mistake. Returns what needs a
  /// restart to take effect. After a change of rights a mistake in hooks is no reason to keep the old rights.
  func reload(keepingFaultyHooks isForced: Bool = false) async throws -> [String] {
    guard let apply else { return [] }
    while let reloading {
      await reloading.wait()
      try Task.checkCancellation()
    }
    let ended = Latch()
    reloading = ended
    defer {
      reloading = nil
      ended.open()
    }
    let (old, new) = (current, try read(isForced ? current : nil))
    do { try await apply(new) } catch {
      // A part of them may be in effect.
      try? await apply(old)
      throw error
    }
    current = new
    change.open()
    change = Latch()
    return new.needingRestart(after: old)
  }
}

extension RPCMethod {
  /// Makes the daemon read its settings again.
  static func reload(_ settings: LiveSettings) -> RPCMethod {
    RPCMethod("daemon.reload", needs: .admin, takes: []) { _ in
      do {
        let waiting = try await settings.reload()
        let result: JSONValue = ["done": true, "restart": .array(waiting.map { .string($0) })]
        return result.description
      } catch {
        throw RPCError(failureOf: error)
      }
    }
  }
}
