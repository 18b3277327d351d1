import Foundation
import Testing

@testable import SessionCLI

/// The program reports mistakes in its command line.
@Suite struct UsageTests {
  @Test(
    arguments: [
      ([], "a command is missing"),
      (["acount", "new"], "unknown command 'acount'; did you mean 'account new'?"),
      (["sael"], "unknown command 'sael'; did you mean 'seal'?"),
      (["frobnicate"], "unknown command 'frobnicate'"),
      (["account"], "'account' needs one more word"),
      (["account", "old"], "unknown command 'account old'"),
      (["account", "new", "--jsn"], "account new: unknown option --jsn; did you mean --json?"),
      (["account", "new", "-o", "x"], "account new: unknown option -o"),
      (["account", "new", "--json=yes"], "account new: --json takes no value"),
      (["account", "show", "--phrase", "--phrase"], "account show: --phrase is given twice"),
      (["account", "new", "--out"], "account new: --out needs a value: --out FILE"),
      (["account", "new", "--out", "--network"], "account new: --out needs a value: --out FILE"),
      (["account", "new", "--out="], "account new: --out needs a value: --out FILE"),
      (["account", "new", "--out", "-"], "account new: --out cannot be -: --out FILE"),
      (["send", "bob", "--attach"], "send: --attach needs a value: --attach FILE"),
      (["send", "bob", "--attach", "-"], "send: --attach cannot be -: --attach FILE"),
      (
        ["attachment", "save", "one"],
        "attachment save: 'one' is not the number of a message; 'session show' shows them"
      ),
      (
        ["attachment", "save", "1", "0"],
        "attachment save: '0' is not the number of a file; 'session attachment list' shows them"
      ),
      (["attachment", "seal", "-", "--out", "g"], "attachment seal: FILE cannot be -"),
      (["account", "new", "one", "spare"], "account new: unexpected argument spare"),
      (["account", "restore"], "account restore: NAME is missing"),
      (["seal", "--from", "alice"], "seal: --to ID is missing"),
      (["seal", "--from", "-", "--to", Example.bobID], "seal: both inputs are standard input"),
      (["seal", "--from", "alice", "--to", "05"], "--to: an id has 66 hexadecimal digits, this text has 2"),
      (["seal", "--from", "alice", "--to", "03" + Example.bobID.dropFirst(2)], "--to: this is a group id"),
      (["open", "--as", "bob", "a", "b"], "open: unexpected argument b"),
      (
        ["attachment", "seal", "f", "--out", "g", "--format", "zip"],
        "attachment seal: --format is legacy or stream"
      ),
      (
        ["attachment", "seal", "f", "--out", "g", "--format", "stream"],
        "attachment seal: --format stream needs --from PHRASEFILE"
      ),
      (
        ["attachment", "seal", "f", "--out", "g", "--from", "alice"],
        "attachment seal: --from is for --format stream"
      ),
      (["help", "frobnicate"], "unknown command 'frobnicate'"),
      (["--version", "now"], "version: unexpected argument now"),
      (["--jsn"], "unknown command '--jsn'"),
    ] as [([String], String)])
  func misuseIsNamed(words: [String], message: String) async {
    let world = MemoryIO(files: Example.phrases)
    #expect(await world.run(words) == .usage)
    #expect(world.messages.first == "session: " + message)
    #expect(world.messages.count == 2, "what to do next is missing")
    #expect(world.output == "")
  }

  @Test(
    arguments: [
      (["account", "show", "absent"], ExitCode.noInput, "cannot open absent"),
      (["id", "05"], .data, "an id has 66 hexadecimal digits, this text has 2"),
      (["open", "--as", "bob"], .data, "the sealed message is not base64 text"),
      (
        ["attachment", "open", "f", "--pointer", "alice", "--out", "g"], .data,
        "this is not a pointer to a sealed file"
      ),
    ] as [([String], ExitCode, String)])
  func badInputIsNamed(words: [String], status: ExitCode, message: String) async {
    let world = MemoryIO(files: Example.phrases, input: "*not base64*")
    #expect(await world.run(words) == status)
    #expect(world.messages.first == "session: " + message)
    #expect(world.output == "")
  }

  @Test(
    arguments: [
      (["account", "show", "absent", "--json"], .noInput, "cannot open absent"),
      (["id", "--json", "05"], .data, "an id has 66 hexadecimal digits, this text has 2"),
      (["account", "new", "--json", "--json"], .usage, "account new: --json is given twice"),
      (["account", "new", "--out", "--json"], .usage, "account new: --out needs a value: --out FILE"),
      (["account", "show", "a\"\n\u{1B}", "--json"], .noInput, "cannot open a\"\n\u{1B}"),
    ] as [([String], ExitCode, String)])
  func programsAreToldOfFailuresInJSON(words: [String], status: ExitCode, text: String) async throws {
    let world = MemoryIO()
    #expect(await world.run(words) == status)
    #expect(world.output == "")
    let line = try #require(world.messages.last)
    #expect(line.hasPrefix(#"{"v":1,"type":"failure","#))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(JSONForm.failure.mistake(in: object) == nil)
    #expect(object["status"] as? Int32 == status.rawValue)
    #expect(object["kind"] as? String == status.name)
    #expect(object["text"] as? String == text)
  }

  @Test(arguments: [["id", "--", "--json"], ["manual", "--json"], ["frobnicate", "--json"]])
  func errorsAreNotJSONUnlessRequested(words: [String]) async {
    let world = MemoryIO()
    #expect(await world.run(words) != .success)
    #expect(world.messages.first?.hasPrefix("session: ") == true)
  }

  @Test func unreadableFilesAreReportedWithAdvice() async {
    let world = MemoryIO(files: Example.phrases)
    #expect(await world.run("seal", "absent", "--from", "alice", "--to", Example.bobID) == .noInput)
    #expect(
      world.messages == [
        "session: cannot open absent",
        "Check the name, and that it is a file that you can read.",
      ])
  }

  @Test func optionsMayStandAnywhereAndEndAtTwoDashes() async {
    let world = MemoryIO(files: ["--json": Example.alicePhrase])
    #expect(await world.run(["account", "show", "--json", "--", "--json"]) == .success)
    #expect(world.output == "{\"v\":1,\"id\":\"\(Example.aliceID)\"}\n")
  }

  @Test func repeatedOptionsKeepTheirOrder() throws {
    let option = Command.Option(name: "attach", value: "FILE", summary: "a file", isRepeated: true)
    let command = Command(name: "try", summary: "try", options: [option], rpc: .none(.isLocal)) { _, _ in
      CommandOutput()
    }
    let invocation = try Invocation(of: command, from: ["--attach", "b", "--attach=a", "--attach=-c=d"])
    #expect(invocation.all("attach") == ["b", "a", "-c=d"])
    #expect(try Invocation(of: command, from: []).all("attach") == [])
    #expect(command.usage == "session try [--attach FILE]...")
  }

  @Test func inputsAreBounded() async {
    let world = MemoryIO(files: Example.phrases, input: String(repeating: "x", count: (1 << 20) + 1))
    #expect(await world.run(["seal", "--from", "alice", "--to", Example.bobID]) == .data)
    #expect(world.output == "")
  }
}
