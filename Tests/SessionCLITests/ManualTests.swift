import Testing

@testable import SessionCLI

@Suite struct ManualTests {
  private let table = CommandTable(groups: [
    .init(
      name: "talk",
      commands: [
        Command(
          name: "try out", summary: "try it - out", discussion: ".one line\n'another\n\nC:\\path",
          arguments: [.init(name: "FILE", summary: "a …")],
          options: [.init(name: "as-is", summary: "leave it")],
          examples: [.init(line: "session try 'x'", summary: "tries")], rpc: .none(.isLocal)
        ) { _, _ in CommandOutput() }
      ])
  ])

  @Test func roffSyntaxIsEscaped() {
    #expect(
      Manual(table: table).page(named: "session-try-out") == #"""
        .TH "SESSION\-TRY\-OUT" 1 "" "session \#(SessionTool.version)" "Session"
        .SH "NAME"
        session\-try\-out \- try it \- out
        .SH "SYNOPSIS"
        \fBsession try out\fR FILE [\-\-as\-is]
        .SH "DESCRIPTION"
        \&.one line
        \&\(aqanother
        .PP
        C:\epath
        .SH "ARGUMENTS"
        .TP
        \fBFILE\fR
        a \[u2026]
        .SH "OPTIONS"
        .TP
        \fB\-\-as\-is\fR
        leave it
        .SH "EXAMPLES"
        .PP
        .EX
        $ session try \(aqx\(aq
        .EE
        tries
        .SH "EXIT STATUS"
        0 on success; session(1) lists the other exit codes.
        .SH "SEE ALSO"
        session(1)

        """#)
  }

  @Test func everyCommandHasAPage() async {
    let world = MemoryIO()
    #expect(await world.run("manual") == .success)
    let names = world.output.split(separator: "\n").map(String.init)
    #expect(names.count == CommandTable.session.commands.count + 2)
    #expect(names.starts(with: ["session", "session-json", "session-send"]))
    for name in names {
      let world = MemoryIO()
      #expect(await world.run("manual", name) == .success)
      #expect(world.output.hasPrefix(".TH "))
      #expect(world.outputBytes.allSatisfy { $0 < 0x80 })
    }
  }

  @Test func thePageOfAllNamesCommandsTopicsAndExitCodes() async {
    let world = MemoryIO()
    #expect(await world.run("manual", "session") == .success)
    for part in ["\\fBsession account new\\fR\n", ".SH \"EXIT CODES\"\n", "\\fB69\\fR\n", ".SH \"JSON\"\n"] {
      #expect(world.output.contains(part), "\(part)")
    }
  }

  @Test func aMissingPageIsAUsageError() async {
    let world = MemoryIO()
    #expect(await world.run("manual", "session-fly") == .usage)
    #expect(world.messages.first == "session: there is no page session-fly in the manual")
  }
}
