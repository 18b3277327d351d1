import Foundation
import Spawning
import Testing

@testable import SessionCLI

/// The shells themselves run the scripts.
@Suite(.timeLimit(.minutes(10))) struct CompletionTests {
  private static let cases: [([String], [String])] = [
    (["acc"], ["account"]),
    (["requests", ""], ["list", "accept", "decline", "block"]),
    (["account", "new", "--o"], ["--out"]),
    (["attachment", "seal", "--format", ""], ["legacy", "stream"]),
    (["completion", ""], ["bash", "zsh", "fish", "accounts", "people", "groups", "chats"]),
    (["help", "account", "n"], ["new"]),
    (["help", "exit"], ["exit-codes"]),
    (["exit"], []),
    (["help", "account", "new", ""], []),
    (["message", "write", "--to", ""], []),
    (["nonsense", ""], []),
  ]

  @Test(arguments: cases) func bashCompletes(words: [String], offered: [String]) throws {
    let script = CompletionScript(table: .session).bash
    let asking = """
      COMP_WORDS=(session "$@") COMP_CWORD=$#
      _session
      if ((${#COMPREPLY[@]})); then printf '%s\\n' "${COMPREPLY[@]}"; fi
      """
    #expect(try lines(of: "bash", ["-c", script + asking, "bash"] + words) == offered)
  }

  @Test func bashCompletesAccountsAndPeople() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("contacts", "nickname", "alice", "Alice Liddell", "--account", "bob")
      let script = CompletionScript(table: .session).bash
      let folder = try #require(home.program.executables).path
      func completed(_ words: String...) async throws -> [String] {
        let asking = """
          PATH=\(folder):$PATH
          COMP_WORDS=(session "$@") COMP_CWORD=$#
          _session
          printf '%s\\n' "${COMPREPLY[@]}"
          """
        let outcome = try await home.program.ranOther(
          "/usr/bin/env", ["bash", "-c", script + asking, "bash"] + words,
          with: ["HOME": home.program.folder.path, "PATH": "/usr/bin:/bin"])
        #expect(outcome.messages == "")
        return outcome.output.split(separator: "\n").map(String.init)
      }
      #expect(try await completed("account", "use", "") == ["alice", "bob"])
      #expect(try await completed("show", "--account", "b") == ["bob"])
      #expect(try await completed("send", "--account", "alice", "") == ["me", "bob"])
      #expect(try await completed("show", "--account", "bob", "A") == ["Alice\\ Liddell"])
      // The account is needed: there are two.
      #expect(try await completed("send", "") == [])
    }
  }

  @Test func bashCompletesFilesAlsoBehindAnEqualsSign() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data().write(to: folder.appending(path: "alice's phrase"))
    let script = CompletionScript(table: .session).bash
    let asking = """
      cd "$1"
      COMP_WORDS=(session seal --from = ali) COMP_CWORD=4
      _session
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    #expect(try lines(of: "bash", ["-c", script + asking, "bash", folder.path]) == ["alice's phrase"])
  }

  @Test(.enabled(if: has("fish"), "fish is not installed"), arguments: cases)
  func fishCompletes(words: [String], offered: [String]) throws {
    let asking = "complete -C 'session \(words.joined(separator: " "))'"
    let script = CompletionScript(table: .session).fish + asking
    let found = try lines(of: "fish", ["--no-config", "-c", script]).map { $0.prefix { $0 != "\t" } }
    #expect(Set(found.map(String.init)) == Set(offered))
  }

  @Test(.enabled(if: has("zsh"), "zsh is not installed")) func zshTakesItsScript() throws {
    let script = CompletionScript(table: .session).zsh
    #expect(try lines(of: "zsh", ["-f", "-n", "-c", script]) == [])
    let asking = """
      _describe() { print -l -- ${offered%%:*} }
      _arguments() { print -l -- $words }
      words=(session account '') CURRENT=3
      _session
      words=(session account new '') CURRENT=4
      _session
      """
    let accounts = CommandTable.session.commands(under: ["account"]).map { $0.words[1] }
    let quiet = "compdef() { : }\n"
    #expect(try lines(of: "zsh", ["-f", "-c", quiet + script + asking]) == accounts + ["new"])
  }

  /// The calls by which a script asks for the names of people, with the account in one word and in two.
  private static let accounts: [(words: [String], asked: String)] = [
    (["show", "--account", "bob"], "completion chats --account=bob"),
    (["show", "--account=bob"], "completion chats --account=bob"),
    (["show"], "completion chats"),
  ]

  @Test(arguments: accounts) func bashAsksForPeopleOfTheAccount(words: [String], asked: String) throws {
    // Unless = is a word break, bash does not split --name=value.
    let asking = """
      session() { printf '%s\\n' "$*" >&3; }
      COMP_WORDS=(session "$@" '') COMP_CWORD=$(($# + 1))
      { _session; } 3>&1
      """
    let script = CompletionScript(table: .session).bash
    #expect(try lines(of: "bash", ["-c", script + asking, "bash"] + words) == [asked])
    let apart = words.flatMap { $0.hasPrefix("--account=") ? ["--account", "=", "bob"] : [$0] }
    #expect(try lines(of: "bash", ["-c", script + asking, "bash"] + apart) == [asked])
  }

  @Test(.enabled(if: has("fish"), "fish is not installed"), arguments: accounts)
  func fishAsksForPeopleOfTheAccount(words: [String], asked: String) throws {
    let asking = """
      function session; echo $argv; end
      complete -C 'session \(words.joined(separator: " ")) '
      """
    let script = CompletionScript(table: .session).fish + asking
    #expect(try lines(of: "fish", ["--no-config", "-c", script]).filter { !$0.hasPrefix("-") } == [asked])
  }

  @Test(.enabled(if: has("fish"), "fish is not installed"), arguments: [" ", "="])
  func fishCompletesTheAccount(separator: String) throws {
    let asking = """
      function session; test "$argv" = 'completion accounts'; and echo bob; end
      complete -C 'session show --account\(separator)'
      """
    let script = CompletionScript(table: .session).fish + asking
    let offered = try lines(of: "fish", ["--no-config", "-c", script]).map {
      String($0.prefix { $0 != "\t" })
    }
    #expect(offered == [separator == "=" ? "--account=bob" : "bob"])
  }

  @Test(.enabled(if: has("zsh"), "zsh is not installed"), arguments: accounts)
  func zshAsksForPeopleOfTheAccount(words: [String], asked: String) throws {
    let asking = """
      compdef() { : }
      compadd() { print -r -- "${(P@)2}" }
      session() { print -r -- "$*" }
      words=(\(words.joined(separator: " ")) '') CURRENT=$#words
      _session_listed chats
      """
    let script = CompletionScript(table: .session).zsh
    #expect(try lines(of: "zsh", ["-f", "-c", "compdef() { : }\n" + script + asking]) == [asked])
  }

  /// Completes in a shell of its own, as a person does who presses Tab.
  @Test(
    .enabled(if: has("zsh"), "zsh is not installed"),
    arguments: [
      ("session show --account=b", "session show --account=bob "),
      ("session show --account b", "session show --account bob "),
      ("session show --account=bob A", "session show --account=bob Alice\\ Liddell "),
    ])
  func zshCompletesWordsWithAnEqualsSign(typed: String, completed: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let setup = """
      PS1= RPS1= PROMPT_EOL_MARK=
      autoload -U compinit
      compinit -D -u
      session() {
        if [[ $* == "completion accounts"* ]] print bob
        if [[ $* == "completion chats --account=bob" ]] print "Alice Liddell"
      }
      tell() { print -r -- "<<$BUFFER>>" }
      zle -N tell
      bindkey ^X tell
      # The editor reads keys from here on.
      zle-line-init() { print ready }
      zle -N zle-line-init

      """
    try Data((setup + CompletionScript(table: .session).zsh).utf8).write(to: folder.appending(path: "setup"))
    let asking = """
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'source \(folder.path)/setup'
      zpty -r -m shell seen '*ready*'
      zpty -w -n shell $'\(typed)\\t\\x18'
      zpty -r -m shell seen '*<<*>>*'
      zpty -d shell
      print -r -- ${${seen##*<<}%%>>*}.
      """
    #expect(try lines(of: "zsh", ["-f", "-c", asking]) == [completed + "."])
  }

  private static func has(_ shell: String) -> Bool {
    ["/bin", "/usr/bin", "/usr/local/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
    }
  }

  /// Returns the output of a shell, which must print nothing on standard error, and succeed.
  private func lines(of shell: String, _ arguments: [String]) throws -> [String] {
    let process = Process()
    let output = Pipe.closedOnExec()
    let messages = Pipe.closedOnExec()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [shell] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = messages
    try process.start()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    let said = String(decoding: try messages.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(said == "")
    #expect(process.terminationStatus == 0)
    return text.split(separator: "\n").map(String.init)
  }
}
