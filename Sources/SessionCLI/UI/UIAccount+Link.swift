import SessionBase
import SessionCore
import SessionMessaging
import SessionTerminal

extension UIAccount {
  /// How long a server may take to say what a room is.
  private static let previewTime = Duration.seconds(10)

  /// Shows what a link names. Nothing is sent, joined or changed by that.
  func tell(_ link: SessionLink) async throws {
    do {
      switch try await OpenedLink(link, messenger) {
      case .conversation(let id, let text, let note):
        guard let note else { return screen.tell(.opened(conversation: id.description)) }
        screen.tell(.linked(conversation: id.description, text: text, note: note))
      case .room(let link):
        let lines = OpenedLink.lines(of: link)
        screen.tell(.offered(link: link.description, lines: lines, isMore: false))
        // The server is asked while the question stands.
        Task { [messenger, screen] in
          let more = await OpenedLink.details(of: link, messenger, within: Self.previewTime)
          screen.tell(.offered(link: link.description, lines: lines + more, isMore: true))
        }
      }
    } catch let failure as CommandFailure {
      screen.tell(.notice(failure.message, isFailure: true))
    }
  }
}
