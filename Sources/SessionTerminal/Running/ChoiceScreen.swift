/// Has a person choose a row of a list on the whole terminal, which is then as it was.
package struct ChoiceScreen: Sendable {
  private enum Happening: Sendable {
    case input([InputEvent])
    case woken
    case end
  }

  private let terminal: RawTerminal
  private let source: WakingInput
  private let capabilities: TerminalCapabilities

  package init(_ terminal: RawTerminal, _ source: WakingInput, _ capabilities: TerminalCapabilities) {
    (self.terminal, self.source, self.capabilities) = (terminal, source, capabilities)
  }

  /// The place of the chosen row; nil if the person left, the terminal is gone or the task is cancelled. The list keeps what
  /// was typed, so that it can be shown again. It is drawn anew when the source is woken.
  package func choose(from kept: inout ListChoice) async -> Int? {
    var list = kept
    defer { kept = list }
    let (happenings, telling) = AsyncStream.makeStream(of: Happening.self)
    let reader = TerminalReader(source, escapeWait: capabilities.escapeWait) { arrival in
      switch arrival {
      case .input(let events): telling.yield(.input(events))
      case .woken: telling.yield(.woken)
      case .end: telling.yield(.end)
      }
    }
    guard let reader else { return nil }
    terminal.enter(mouse: false, asking: false)
    let isMono = capabilities.depth == .none
    let writer = GridWriter(theme: Theme(isMono ? .mono : .dark), depth: capabilities.depth)
    var shown: Grid?
    func draw() -> Bool {
      let grid = list.drawn(on: terminal.size ?? ScreenSize(columns: 80, rows: 24))
      let rest = terminal.write(writer.bytes(from: shown, to: grid)[...])
      // What a slow terminal did not take is drawn anew with the next key.
      shown = rest?.isEmpty == true ? grid : nil
      return rest != nil
    }
    var chosen: Int?
    if draw() {
      await withTaskCancellationHandler {
        loop: for await happening in happenings {
          switch happening {
          case .input(let events):
            for event in events {
              switch list.take(event) {
              case nil: continue
              case .chosen(let place): chosen = place
              case .cancelled: break
              }
              break loop
            }
          case .woken: break
          case .end: break loop
          }
          guard draw() else { break }
        }
      } onCancel: {
        telling.yield(.end)
      }
    }
    await reader.stop()
    terminal.leave()
    return Task.isCancelled ? nil : chosen
  }
}
