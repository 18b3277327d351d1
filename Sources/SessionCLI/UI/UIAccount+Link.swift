import SessionBase
import SessionCore
import SessionMessaging
import SessionTerminal

extension UIAccount {
  /// How long a server may take to say what a room is.
  private static let previewTime = Duration.seconds(10)

  /// Shows what a link names. Nothing is sent or joined by that.
  func tell(_ link: SessionLink) async throws {
    do {
      switch try await OpenedLink(link, messenger) {
      case .conversation(let id, let text, let note):
        guard let note else { return screen.tell(.opened(conversation: id.description)) }
        let warning = try await Directory(of: messenger).warning(beforeWritingTo: id)
        let link = LinkedText(text, note: note, warning: warning, hasDraft: try await hasDraft(id))
        screen.tell(.linked(conversation: id.description, link))
      case .room(let link):
        let lines = OpenedLink.lines(of: link)
        screen.tell(.offered(link: link.description, lines: lines, isMore: false))
        // The request to the server runs while the question stands.
        Task { [messenger, screen] in
          let more = await OpenedLink.details(of: link, messenger, within: Self.previewTime)
          screen.tell(.offered(link: link.description, lines: lines + more, isMore: true))
        }
      }
    } catch let failure as CommandFailure {
      screen.tell(.notice(failure.message, isFailure: true))
    }
  }

  private func hasDraft(_ id: Conversation.ID) async throws -> Bool {
    guard try await messenger.conversation(id) != nil else { return false }
    return try await messenger.draft(of: id) != nil
  }
}
