import Foundation
import Glibc
import SessionCore
import Testing

@testable import SessionStorage

/// Accounts with missing, damaged or locked files, and the settings of a conversation.
@Suite(.timeLimit(.minutes(10))) struct KeepingTests {
  private func databases(_ home: Household, _ name: String) throws -> [URL] {
    let folder = home.path(".local/share/session/accounts/\(name)")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("messages.db") }
  }

  @Test func readingMakesNoDatabaseAndThePhraseIsFoundInACopy() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let words = try await home.run("account", "export-phrase", "alice")
      let folder = home.path(".local/share/session/accounts/alice")
      let database = folder.appending(path: "messages.db")
      try FileManager.default.copyItem(at: database, to: folder.appending(path: "messages.db.damaged"))
      for file in try databases(home, "alice") where !file.path.hasSuffix(".damaged") {
        try FileManager.default.removeItem(at: file)
      }
      let missing = try await home.outcome(["chats"])
      #expect(missing.status != 0)
      #expect(missing.messages.contains("session account restore"))
      #expect(!FileManager.default.fileExists(atPath: database.path))
      #expect(try await home.run("account", "export-phrase", "alice") == words)
      try Data().write(to: database)
      let empty = try await home.outcome(["chats"])
      #expect(empty.status == 65 && empty.messages.contains("is empty"))
      #expect(try Data(contentsOf: database).isEmpty)
      #expect(try await home.outcome(["receive"]).status == 65)
      #expect(try await home.run("account", "export-phrase", "alice") == words)
    }
  }

  @Test func timersHaveUnitsAndLimitsAndAreShown() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      for time in ["5", "1000w", "15d", "0s"] {
        #expect(try await home.outcome(["timer", "bob", "after-send", time]).status == 64, "\(time)")
      }
      try await home.run("timer", "bob", "after-read", "1h")
      let shown = try await home.outcome(["show", "bob"])
      #expect(shown.messages == "messages disappear 1h after they were read\n")
      #expect(try await home.outcome(["show", "bob", "--json"]).messages == "")
      try await home.run("timer", "bob", "off")
      #expect(try await home.outcome(["show", "bob"]).messages == "")
    }
  }

  /// Reading changes nothing, and the advice that it gives is right: it works.
  @Test func anAccountOfAnEarlierVersionIsBroughtUpToDateByReceiving() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let phrase = try await home.run("account", "export-phrase")
      let folder = try AccountFolder(
        "alice", in: StorageRoots(environment: ["HOME": home.program.folder.path]))
      for file in try databases(home, "alice") { try FileManager.default.removeItem(at: file) }
      let old = try Database.open(
        folder.database, key: DatabaseKeys(path: folder.key).load(), schema: Schema.account.upTo(2))
      try await old.write { transaction in
        try transaction.set(Setting<[UInt8]>("recoveryPhrase"), to: Array(phrase.dropLast().utf8))
      }
      try old.close()
      let refused = try await home.outcome(["chats"])
      #expect(refused.status == 78)
      #expect(refused.messages.contains("cannot migrate the database; run: session receive"))
      try await home.run("receive")
      try await home.run("chats")
    }
  }

  @Test func aDamagedHeadIsNotSentInCircles() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let database = home.path(".local/share/session/accounts/alice/messages.db")
      let file = try FileHandle(forUpdating: database)
      try file.write(contentsOf: Data(repeating: 0x55, count: 512))
      try file.close()
      let salvaged = try await home.outcome(["db", "salvage", "--to", "copy"])
      #expect(salvaged.status == 65)
      #expect(!salvaged.messages.contains("run: session db salvage"))
      #expect(salvaged.messages.contains("session account restore"))
    }
  }

  /// Runs a program in a session keyring of its own, as a login does. Threads of one process may have different keyrings,
  /// and so what they start.
  private static let login = """
    #include <linux/keyctl.h>
    #include <stdlib.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    int main(int count, char **words) {
      long ring = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
      setenv("KEYRING", ring > 0 ? "yes" : "no", 1);
      execv(words[1], words + 1);
      return 1;
    }
    """

  @Test func aLockedAccountAsksForItsPassphraseAgain() async throws {
    try await Household.with { home in
      _ = try await home.account("vault")
      try home.program.writeSecret("first\n", to: "one")
      try await home.run("db", "passphrase", "set", "--new", "one")
      try Data(Self.login.utf8).write(to: home.path("login.c"))
      let compiled = try await home.program.ranOther(
        "/usr/bin/env", ["cc", "-o", "login", "login.c"],
        with: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
      try #require(compiled.status == 0, "\(compiled.messages)")
      let model = home.program.prepared([])
      let script = """
        status() { "$@" >/dev/null 2>&1; echo $?; }
        echo $KEYRING
        SESSION_PASSPHRASE_FILE=one status "$0" chats
        status "$0" chats
        status "$0" account lock vault
        status "$0" chats
        SESSION_PASSPHRASE_FILE=one status "$0" chats
        """
      let ran = try await home.program.ranOther(
        home.path("login").path, ["/bin/sh", "-c", script, try #require(model.executableURL).path],
        with: model.environment ?? [:])
      let lines = ran.output.split(separator: "\n")
      // A kernel without keyrings keeps no key.
      #expect(
        lines
          == (lines.first == "yes" ? ["yes", "0", "0", "0", "78", "0"] : ["no", "0", "78", "0", "78", "0"]))
    }
  }

  @Test func twoProgramsThatMakeOneAccountLeaveOneOfBoth() async throws {
    try await Household.with { home in
      for number in 1...5 {
        let name = "twin\(number)"
        async let one = home.outcome(["account", "new", name, "--network", "devnet"])
        async let two = home.outcome(["account", "new", name, "--network", "devnet"])
        let outcomes = try await [one, two]
        #expect(outcomes.filter { $0.status == 0 }.count == 1, "\(outcomes.map(\.messages))")
        let made = try #require(outcomes.first { $0.status == 0 }?.output)
        #expect(try await home.run("account", "show", name) == made)
      }
    }
  }

  @Test func aChatThatIsLeftWithoutANetworkEndsSoon() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("devnet", "loss", "100")
      let window = try await TerminalWindow(home.program, ["chat", "bob", "--account", "alice"])
      try await window.see("(accepted the message request)\n>")
      try await window.enter("one")
      try await window.see("  one\n")
      let clock = ContinuousClock()
      let asked = clock.now
      try await window.press("C-d")
      try await window.see("a message is not stored yet", "ended ")
      // It waits three seconds for the message to be stored, and not for the requests, which take ten seconds each.
      #expect(asked.duration(to: clock.now) < .seconds(10))
      try await window.close()
      try await home.run("devnet", "loss", "0")
    }
  }

  @Test func failuresOfAServiceAreToldOnce() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let service = try ServerProcess(home.program, ["receive", "--follow", "--account", "alice"])
      _ = try await service.line(with: "receiving for the account alice")
      try await home.run("devnet", "loss", "100")
      _ = try await service.line(with: "is unreachable")
      try await home.run("devnet", "loss", "0")
      _ = try await service.line(with: "is reachable again")
      service.signal(SIGTERM)
      #expect(await service.end() == 0)
    }
  }
}
