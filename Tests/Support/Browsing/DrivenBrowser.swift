import Folders
package import Foundation
package import SessionBase
import Spawning
import Synchronization

/// A headless Chromium with one page, which a test drives over its debugging protocol: messages of JSON, each ended by a zero
/// byte, on a pair of pipes.
package final class DrivenBrowser: Sendable {
  /// Why a command was not carried out.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// A message that answers no command.
  package struct Event: Sendable {
    package let name: String
    package let content: JSONValue
  }

  private struct State {
    var lastCommand: Int64 = 0
    var waiting: [Int64: CheckedContinuation<JSONValue, any Error>] = [:]
    var session: String?
    var events: [Event] = []
    /// Those who wait for an event of a name.
    var watchers: [(name: String, continuation: CheckedContinuation<Void, any Error>)] = []
    var hasEnded = false
  }

  private let folder: TemporaryFolder
  private let process: Process
  private let commands: FileHandle
  private let state = Mutex(State())

  /// Starts one; nil if it is not installed.
  package init?() throws {
    guard let path = Browser.path else { return nil }
    folder = try TemporaryFolder()
    let (input, output) = (Pipe.closedOnExec(), Pipe.closedOnExec())
    commands = input.fileHandleForWriting
    process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // The browser reads commands from 3, and writes to 4.
    process.arguments = [
      "-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", path, "--headless", "--no-sandbox",
      "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
      "--hide-scrollbars", "--user-data-dir=\(folder.url.path)", "--remote-debugging-pipe",
    ]
    (process.standardInput, process.standardOutput, process.standardError) = (
      input, output, FileHandle.nullDevice
    )
    try process.start()
    let messages = output.fileHandleForReading
    Thread.detachNewThread { [weak self] in
      var rest = Data()
      while case let piece = messages.availableData, !piece.isEmpty {
        rest += piece
        while let end = rest.firstIndex(of: 0) {
          let message = Array(rest[rest.startIndex..<end])
          rest.removeSubrange(rest.startIndex...end)
          if let json = try? JSONReader.value(of: message) { self?.take(json) }
        }
      }
      self?.end()
    }
  }

  deinit {
    try? commands.close()
    process.terminate()
    process.waitUntilExit()
  }

  private func take(_ json: JSONValue) {
    if let number = json["id"]?.integer {
      let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
      if let error = json["error"] {
        waiting?.resume(throwing: Failure(description: "\(error)"))
      } else {
        waiting?.resume(returning: json["result"] ?? .null)
      }
    } else if let name = json["method"]?.string {
      let woken = state.withLock { state in
        state.events.append(Event(name: name, content: json["params"] ?? .null))
        let woken = state.watchers.filter { $0.name == name }
        state.watchers.removeAll { $0.name == name }
        return woken
      }
      for watcher in woken { watcher.continuation.resume() }
    }
  }

  private func end() {
    let (waiting, watchers) = state.withLock { state in
      defer { (state.waiting, state.watchers, state.hasEnded) = ([:], [], true) }
      return (Array(state.waiting.values), state.watchers.map(\.continuation))
    }
    let failure = Failure(description: "the browser has ended")
    for continuation in waiting { continuation.resume(throwing: failure) }
    for continuation in watchers { continuation.resume(throwing: failure) }
  }

  // MARK: - Commands

  /// Has the browser carry out a command of its protocol, on the page if there is one.
  @discardableResult
  package func call(_ method: String, _ parameters: JSONValue = .object([])) async throws -> JSONValue {
    try await withCheckedThrowingContinuation { continuation in
      let message: JSONValue? = state.withLock { state in
        guard !state.hasEnded else { return nil }
        state.lastCommand += 1
        state.waiting[state.lastCommand] = continuation
        var members: [JSONValue.Member] = [
          .init("id", .integer(state.lastCommand)), .init("method", .string(method)),
          .init("params", parameters),
        ]
        if let session = state.session { members.append(.init("sessionId", .string(session))) }
        return .object(members)
      }
      guard let message else {
        return continuation.resume(throwing: Failure(description: "the browser has ended"))
      }
      // A browser that has ended is noticed by its silence.
      try? commands.write(contentsOf: Data(message.description.utf8) + [0])
    }
  }

  /// Opens the page on which all other commands work.
  package func openPage() async throws {
    let target = try await call("Target.createTarget", ["url": "about:blank"])["targetId"] ?? .null
    let session = try await call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"]
    state.withLock { $0.session = session?.string }
    for domain in ["Page", "Runtime", "Network", "Log"] { try await call("\(domain).enable") }
    try await call("Network.setCacheDisabled", ["cacheDisabled": true])
  }

  /// Goes to a URL, and returns when the page is loaded. Events from before are forgotten.
  package func go(to url: String) async throws {
    state.withLock { $0.events = [] }
    let answer = try await call("Page.navigate", ["url": .string(url)])
    if let error = answer["errorText"]?.string { throw Failure(description: "\(url): \(error)") }
    try await wait(for: "Page.loadEventFired")
  }

  /// Returns when there was an event of a name since the last page began.
  package func wait(for name: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let result: Result<Void, any Error>? = state.withLock { state in
        if state.events.contains(where: { $0.name == name }) { return .success(()) }
        if state.hasEnded { return .failure(Failure(description: "the browser has ended")) }
        state.watchers.append((name, continuation))
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }

  /// The events of a name since the last page began.
  package func events(_ name: String) -> [JSONValue] {
    state.withLock { $0.events.filter { $0.name == name }.map(\.content) }
  }

  // MARK: - The page

  /// The value of an expression of JavaScript, or of its promise.
  @discardableResult
  package func value(of expression: String) async throws -> JSONValue {
    let answer = try await call(
      "Runtime.evaluate",
      [
        "expression": .string(expression), "returnByValue": true, "awaitPromise": true, "userGesture": true,
      ])
    if let exception = answer["exceptionDetails"] { throw Failure(description: "\(exception)") }
    return answer["result"]?["value"] ?? .null
  }

  /// Clicks in the middle of what a selector finds.
  package func click(_ selector: String) async throws {
    let place = try await value(
      of: """
        (() => {
          const box = document.querySelector(\(JSONText.quoted(selector))).getBoundingClientRect();
          return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
        })()
        """)
    guard case .array(let point) = place, point.count == 2 else {
      throw Failure(description: "\(selector) is nowhere")
    }
    for kind in ["mousePressed", "mouseReleased"] {
      try await call(
        "Input.dispatchMouseEvent",
        ["type": .string(kind), "x": point[0], "y": point[1], "button": "left", "clickCount": 1])
    }
  }

  /// How the page is shown: its size, and in which colours.
  package func show(width: Int, height: Int, isDark: Bool) async throws {
    try await call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .integer(Int64(width)), "height": .integer(Int64(height)), "deviceScaleFactor": 1,
        "mobile": false,
      ])
    try await call(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
  }

  /// The page as a PNG.
  package func picture() async throws -> Data {
    let answer = try await call("Page.captureScreenshot", ["format": "png", "captureBeyondViewport": true])
    guard let data = answer["data"]?.string.flatMap({ Data(base64Encoded: $0) }) else {
      throw Failure(description: "there is no picture")
    }
    return data
  }
}
