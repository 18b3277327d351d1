import Foundation
import SessionBase
import Spawning
import Testing

@testable import SessionDaemon

/// A daemon on a disk that is full, and then has room again.
@Suite(.timeLimit(.minutes(5))) struct DaemonDiskTests {
  /// Runs the program on a small file system of its own, which has the accounts, half a mebibyte that is free, and a file
  /// that can go.
  private static let starter = """
    #!/bin/sh
    export PATH=/usr/bin:/bin:/usr/sbin:/sbin
    exec unshare --user --map-root-user --mount sh -c '
      mount -t tmpfs -o size=8m none "$HOME/.local/share/session" || exit 1
      cp -a "$HOME/copy/." "$HOME/.local/share/session"
      cat /dev/zero > "$HOME/.local/share/session/ballast" 2> /dev/null
      truncate -s -524288 "$HOME/.local/share/session/ballast"
      exec "$@"' sh "$@"
    """

  private static let canMount =
    (try? Program.atHome().isMounting()) ?? false

  @Test(.enabled(if: canMount, "this system lets only its owner mount a file system"))
  func aFullDiskFailsCallsByNameAndTheDaemonGoesOnWhenThereIsRoom() async throws {
    try await Household.with { home in
      try await home.friends()
      let bob = try #require(try await home.json("account", "show", "bob").first?["id"] as? String)
      let starter = home.path("small-disk")
      try Data(Self.starter.utf8).write(to: starter)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: starter.path)
      try FileManager.default.copyItem(at: home.path(".local/share/session"), to: home.path("copy"))
      let daemon = try ServerProcess(home.program, ["daemon"], startedBy: starter.path)
      _ = try await daemon.line(with: "accounts are open")
      let (heard, hearing) = AsyncStream.makeStream(of: String.self)
      let client = try DaemonTests.client(home) { method, params in
        hearing.yield(params["event"]?["message"]?["body"]?.string ?? method)
      }
      _ = try await client.result(
        "events.subscribe", ["reader": "bot", "account": "alice", "kinds": ["messageSent"]])
      var kept: [String] = []
      func send(_ text: String) async throws {
        _ = try await client.result(
          "send",
          [
            "account": "alice", "to": .string(bob), "text": .string(text),
            "key": .string("k\(text.prefix(6))"),
          ])
      }
      func text(_ number: Int) -> String { "\(100000 + number)" + String(repeating: "x", count: 1900) }
      var failure: RPCError?
      while failure == nil, kept.count < 2000 {
        do {
          try await send(text(kept.count))
          kept.append(text(kept.count))
        } catch let error as RPCError { failure = error }
      }
      #expect(
        failure?.kind == "disk-full" && failure?.code == 74, "\(String(describing: failure)) \(kept.count)")
      // What only reads goes on.
      #expect(try await client.result("daemon.ping")["at"] != nil)
      guard
        case .array(let items)? = try await client.result(
          "show", ["account": "alice", "chat": .string(bob), "limit": 500])["items"]
      else { throw RPCError.invalidParams("none") }
      #expect(items.compactMap { $0["body"]?.string }.suffix(kept.count) == kept[...])
      let process = try await client.result("daemon.status")["process"]?.integer ?? 0
      try FileManager.default.removeItem(
        atPath: "/proc/\(process)/root\(home.path(".local/share/session/ballast").path)")
      // The same call is made again.
      try await send(text(kept.count))
      kept.append(text(kept.count))
      var (sent, events) = ([String](), heard.makeAsyncIterator())
      while sent.last != kept.last, let text = await events.next() { sent.append(text) }
      #expect(Set(sent) == Set(kept))
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }
}

extension Program {
  /// True if this system lets its users mount file systems of their own.
  fileprivate func isMounting() throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", folder.path,
    ]
    process.standardError = FileHandle.nullDevice
    try process.start()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
