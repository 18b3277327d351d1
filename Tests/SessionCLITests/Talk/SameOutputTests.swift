import Foundation
import Testing

@testable import SessionCLI

/// Commands write the same, and end the same, whether a daemon holds the account or none runs.
@Suite(.timeLimit(.minutes(10))) struct SameOutputTests {
  /// The first digits of no device: those of real ones are random.
  private static let noDevice = String(repeating: "0", count: 24)

  /// Command lines of alice, who knows bob, in their order; `@` is the file note.txt, `GROUP` the group that was created.
  private static let steps: [String] = [
    "chats", "show bob", "search hello", "send bob Two", "send bob With --attach @ --caption words",
    "send stranger x", "react 1 👍", "react 99 👍", "read bob", "resend 1", "edit 1 x", "attachment list bob",
    "attachment list 99", "attachment save 4 --to saved.txt", "attachment save 1", "delete 3",
    "delete 99", "contacts list", "contacts nickname bob Bobby", "contacts downloads bob on",
    "contacts block bob", "send bob blocked", "contacts unblock bob", "requests list", "requests accept bob",
    "requests decline bob", "requests block bob", "security show --json", "security show bob --json",
    "security show me",
    "security enable", "security enable --yes", "security set bob require", "security set bob auto",
    "verify show bob --digits --offline", "verify show me", "verify confirm bob", "verify confirm bob --yes",
    "verify list", "verify accept bob", "verify clear bob", "device list --json", "device link \(noDevice)",
    "device remove \(noDevice) --yes",
    "device renew", "security disable", "profile show", "profile set --name Alicia",
    "group create Trip bob", "group list", "group show GROUP", "group members GROUP",
    "group rename GROUP Tour",
    "group describe GROUP Far", "group picture GROUP @", "group invite GROUP bob", "group accept GROUP",
    "group decline GROUP", "group promote GROUP unknown", "group remove GROUP unknown",
    "group clear GROUP --yes", "group leave GROUP", "group delete GROUP --yes", "community list",
    "community join https://chat.example.org/lobby", "community info https://chat.example.org/lobby",
    "community rooms https://chat.example.org", "community rooms",
    "community fetch https://chat.example.org/lobby",
    "community pin https://chat.example.org/lobby 1", "community unpin https://chat.example.org/lobby all",
    "community clear-reactions https://chat.example.org/lobby 1 👍",
    "community ban https://chat.example.org/lobby 1", "community unban https://chat.example.org/lobby 1",
    "community mute https://chat.example.org/lobby 1 1h", "community unmute https://chat.example.org/lobby 1",
    "community delete-all https://chat.example.org/lobby 1",
    "community moderators https://chat.example.org/lobby",
    "community moderator https://chat.example.org/lobby 1",
    "community describe https://chat.example.org/lobby --name Hall",
    "community image https://chat.example.org/lobby @",
    "community leave https://chat.example.org/lobby",
    "share-link https://chat.example.org/lobby", "share-link lobby",
    "send https://chat.example.org/lobby x", "timer bob after-send 1h",
    "timer bob", "pin bob", "unpin bob", "mute bob 8h", "unmute bob", "unread bob", "hide bob",
    "chats --hidden",
    "unhide bob", "hooks list", "hooks test unknown", "readers list", "readers dead",
    "readers retry unknown all",
    "readers forget unknown",
    "settings list", "settings get typing", "settings set typing on", "jobs list",
    "jobs retry 99",
    "jobs cancel 99", "account list", "account show", "account export-phrase alice", "account new carol",
    "account new carol", "account restore dora --phrase missing", "account lock alice",
    "account unlock alice",
    "db check", "db compact", "db salvage --to copy.db", "db passphrase set --new passphrase",
    "account lock alice", "chats", "send bob Locked", "account unlock alice", "db passphrase remove",
    "archive create backup --files none", "archive verify backup", "archive show backup --table setting",
    "archive import backup", "archive discard alice", "export bob --format jsonl --to - --yes",
    "backup run", "backup list", "backup status", "backup check", "backup enable --to backups",
    "backup disable",
    "badge", "files list bob", "files list bob --kind link", "files save bob --to .",
    "files save bob --to nowhere",
    "files list --kind image --json", "files delete --larger-than 1G --yes",
    "message info 1",
    "message info 99", "notify bob nothing", "notify bob mentions", "notify bob all", "read --all",
    "search Hello --from bob --since 2001-01-01", "export bob --format text --to bob.txt",
    "export bob --format html --to bob --with-files --yes",
    "send bob Later --in 9h", "send bob --also me Both", "send bob Soon --in 1s", "scheduled list",
    "scheduled show 1", "scheduled show 99", "scheduled move 1 --in 8h", "scheduled now 99",
    "scheduled cancel 1",
    "draft show bob", "draft set bob Perhaps", "draft set bob Perhaps --attach @", "draft show bob",
    "draft list", "send bob --draft", "send bob --draft", "draft set bob Perhaps", "draft clear bob",
    "tag add bob work", "tag add bob unread", "tag list", "tag rename work office", "chats --tag office",
    "chats --tag work", "tag remove bob office", "tag remove bob office", "tag delete office",
    "profile picture set @", "profile picture save picture.png", "profile picture clear",
    "settings set default-timer after-read 1d", "settings get default-timer",
    "settings set default-timer off",
    "settings set default-timer never",
    "doctor --offline", "net status", "net path", "net guards list", "net guards forget", "net reset",
    "net versions", "net name bob", "notify bob --sound bell", "notify bob --sound bell.oga",
    "notify bob --sound default",
    "chats",
    "contacts delete bob", "account delete carol --yes", "account delete carol --yes",
  ]

  /// Those that use an account which another program may hold.
  private static var commands: Set<String> {
    let others: Set<String> = [
      "version", "daemon status", "daemon reload", "daemon restart", "daemon stop", "account suspend",
      "account resume",
      // They close the account in the daemon, or need devices of others: their own tests run them.
      "key list", "key add", "key move", "key remove", "key test", "key forget", "security reset",
      // The log has what all programs noted.
      "log show",
    ]
    let all = CommandTable.session.commands.filter { command in
      switch command.rpc {
      case .method, .beside, .alone, .secret, .none(.needsKeys), .none(.hasOwnMethod), .none(.writesFiles):
        true
      case .none: false
      }
    }
    return Set(all.map(\.name)).subtracting(others)
  }

  @Test func eachCommandThatUsesAnAccountIsAmongTheSteps() {
    let used = Self.steps.compactMap { step in
      CommandTable.session.command(calledBy: step.split(separator: " ").map(String.init))?.name
    }
    #expect(Self.commands.subtracting(used) == [])
  }

  @Test func commandsWriteTheSameWithAndWithoutADaemon() async throws {
    let alone = try await Self.outcomes(withDaemon: false)
    let served = try await Self.outcomes(withDaemon: true)
    for (step, (alone, served)) in zip(Self.steps, zip(alone, served)) {
      #expect(served == alone, "session \(step)")
    }
  }

  /// What each step wrote, and how it ended.
  private static func outcomes(withDaemon: Bool) async throws -> [String] {
    var outcomes: [String] = []
    try await Household.with { home in
      try await home.friends(haveForwardSecrecy: true)
      try Data("a file".utf8).write(to: home.path("note.txt"))
      try home.program.writeSecret("secret words\n", to: "passphrase")
      let variables = ["SESSION_PASSPHRASE_FILE": home.path("passphrase").path]
      // A daemon that serves bob, too, would have him accept invitations.
      try await home.with(daemon: withDaemon, serving: "alice") {
        var group = "none"
        for step in steps {
          var words = step.split(separator: " ").map(String.init).map { word in
            word == "@" ? "note.txt" : word == "GROUP" ? group : word
          }
          let command = try #require(CommandTable.session.command(calledBy: words), "\(step)")
          if command.options.contains(where: { $0.name == "account" }) { words.append("--account=alice") }
          if command.options.contains(where: { $0.name == "network" }) { words.append("--network=devnet") }
          let outcome = try await home.outcome(words, with: variables)
          if command.name == "group create" { group = outcome.output.trimmingCharacters(in: .newlines) }
          outcomes.append(
            "\(outcome.status)\n\(normal(outcome.output, home))--\n\(normal(outcome.messages, home))")
        }
      }
    }
    return outcomes
  }

  /// A text without what differs from one run to the next: ids, keys, phrases, times, numbers and
  /// folders.
  private static func normal(_ text: String, _ home: Household) -> String {
    var text = text.replacing(home.program.folder.path, with: "HOME")
    text.replace(/\nhash +[^\n]+/, with: "\nhash HASH")
    text.replace(/\b[0-9a-f]{64,66}\b/, with: "ID")
    text.replace(/\b[0-9a-f]{4}…[0-9a-f]{4}/, with: "ID")
    text.replace(/\b[0-9a-f]{16}…/, with: "KEY")
    text.replace(/\b([a-z]+ ){12}[a-z]+\b/, with: "PHRASE")
    text.replace(/[0-9]+(\.[0-9]+)?/, with: "#")
    // A connection of a guard comes and goes, and a daemon is a program that works on the account.
    text.replace(/(idle|connecting|connected)(, in use)?, primary/, with: "GUARD")
    // How many routes there are depends on the moment.
    text.replace(/((messages|files), for [^\n]*\n( {2}# {2}#\.#:# {2}KEY\n)+)+/, with: "ROUTES\n")
    text.replace(/(no program|session daemon) works on it now( \(process #\))?/, with: "USE")
    // What changed among the guards depends on when the program began.
    text.replace(/\nchange +[^\n]*/, with: "")
    // Only a daemon sends by itself what was scheduled.
    text.replace(/No daemon runs: [^\n]*\n/, with: "")
    // How wide a column of numbers is, which configs wait to be sent, and when keys are fetched or a log of them is emptied
    // depends on the moment.
    text.replace(/\ *# */, with: " # ")
    text.replace(/\n # (configSync|logEmptying|bundlePublishing|bundleFetching)[^\n]*/, with: "")
    return text
  }
}
