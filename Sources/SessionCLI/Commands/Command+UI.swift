import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionStorage
import SessionTerminal

extension Command {
  static let ui = Command(
    name: "ui",
    summary: "open the full-screen interface",
    discussion: """
      Shows the conversations of an account, and the messages of one of them, on the whole terminal. Up and Down choose,
      Enter opens and sends, Esc goes back, Ctrl-K finds conversations and actions by name, F1 shows the keys, and Ctrl-Q
      leaves. What is on the screen for a second is marked as read. Unsent texts are kept as drafts.

      It runs together with the daemon and with other commands of the account. Nothing that others write reaches the terminal
      but printable text. When it ends, in whatever way, the terminal is as it was.

      With --plain, and where nothing can be drawn, it appends whole lines and takes commands, such as /list, /go and /help.
      """,
    options: [
      .init(
        name: "theme", value: "THEME",
        summary:
          "colours: \(Theme.Name.allCases.map(\.rawValue).joined(separator: ", ")); by the background by default"
      ),
      .init(name: "no-mouse", summary: "leave the mouse to the terminal"),
      .init(name: "plain", summary: "append lines, for screen readers; /help lists the commands"),
      .timeout, .account,
    ],
    examples: [
      .init(line: "session ui", summary: "open the account at its conversations"),
      .init(
        line: "session ui --account work --theme light", summary: "another account, on a light background"),
    ],
    rpc: .none(.isClient)
  ) { invocation, io in
    try await invocation.showingInterface(io, opening: nil)
  }
}

extension Invocation {
  /// Shows the interface, on the screen or as lines, until the person leaves.
  func showingInterface(_ io: CommandIO, opening: SessionLink?) async throws -> CommandOutput {
    let choice = try screenChoice()
    guard !has("plain"), let (terminal, capabilities) = UISeat.terminal(io) else {
      return try await showingLines(io, opening: opening)
    }
    let (_, account) = try account(io)
    if let status = try await TerminalGuard.run(io) { return CommandOutput(status: status) }
    let (seats, sendKeys, opening) = (Kept<UISeat>(), Kept<[Int: SendKey]>([:]), Kept(opening))
    return try await doing {
      try await working(io.silent(behind: seats), staying: true) { opened in
        let seat = try await seats.obtain {
          try UISeat(account: account.name, on: terminal, capabilities, choice, io)
        }
        let served = UIAccount(
          opened.messenger, on: seat.screen, io, sendKeys: sendKeys, opening: opening,
          isElsewhere: opened.isElsewhere
        ) {
          await UINetwork.event(of: self, io, opened)
        } isHolderConnected: {
          await (try? NetworkView(self, io))?.isHolderConnected() ?? false
        }
        let result: Result<Void, any Error>
        do { result = .success(try await served.serve()) } catch { result = .failure(error) }
        // The interface continues with the next program that holds the account.
        if opened.isOrphaned, !seat.screen.ended.isOpen {
          seat.screen.tell(.holder(isThere: false))
          throw HolderGone()
        }
        await seat.close()
        let unfinished = try await served.finish()
        try result.get()
        guard unfinished > 0 else { return CommandOutput() }
        let what = unfinished == 1 ? "One change" : "\(unfinished) changes"
        return CommandOutput(notes: ["\(what) may not have been made: the network took too long."])
      }
    } andThen: {
      await seats.value?.close()
    }
  }
}

extension Invocation {
  fileprivate func screenChoice() throws(CommandFailure) -> UISeat.Choice {
    var choice = UISeat.Choice(maxCharacters: VisibleMessage.maxStandardCharacters)
    if let name = self["theme"] {
      guard let theme = Theme.Name(rawValue: name) else {
        let names = Theme.Name.allCases.map(\.rawValue).joined(separator: ", ")
        throw misuse("--theme is one of \(names), not '\(DisplayText.line(name))'")
      }
      choice.theme = theme
    }
    choice.usesMouse = !has("no-mouse")
    return choice
  }
}

extension Invocation {
  /// Takes lines and tells of messages, without a screen.
  fileprivate func showingLines(_ io: CommandIO, opening: SessionLink?) async throws -> CommandOutput {
    let (place, seats) = (PlainScreen.Place(), Kept<ChatSeat>())
    let timeout = try timeout()
    return try await ChatSeat.leaving(seats) {
      try await working(io, staying: true) { opened in
        let seat = try await seats.obtain { try await ChatSeat(io, isJSON: false) }
        let screen = PlainScreen(
          opened.messenger, at: seat.terminal, seat.inputs, io, place, opening: opening
        ) {
          await UINetwork.event(of: self, io, opened)
        }
        let result: Result<Void, any Error>
        do { result = .success(try await screen.run()) } catch { result = .failure(error) }
        if opened.isOrphaned { throw HolderGone() }
        seats.value = nil
        let unsent = await seat.terminal.close()
        if seat.isEdited, let open = place.open.value { await opened.messenger.keepDraft(unsent, in: open) }
        try result.get()
        if !opened.isElsewhere {
          _ = try await withinTime(timeout) { try await opened.messenger.waitUntilSettled() }
        }
        return CommandOutput()
      }
    }
  }
}

extension CommandIO {
  /// The same streams; while the screen is shown, lines for people are shown there.
  fileprivate func silent(behind seats: Kept<UISeat>) -> CommandIO {
    var io = self
    let (tell, draw) = (io.tell, io.draw)
    io.tell = { line in
      guard let seat = seats.value, !seat.screen.ended.isOpen else { return tell(line) }
      seat.screen.tell(.notice(line, isFailure: true))
    }
    io.draw = { text in if seats.value == nil { draw(text) } }
    return io
  }
}
