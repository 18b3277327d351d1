import SessionCore
import SessionMessaging
import SessionTerminal

extension ShownMessage {
  /// A message as the interface shows it.
  init(_ view: MessageView, _ directory: Directory) {
    self.init(
      id: view.id.rawValue, author: directory.name(view.author), authorID: view.author.description,
      isOutgoing: view.isOutgoing, sentAt: view.sentAt, text: view.body, state: State(view))
    switch view.kind {
    case .message: break
    case .deleted, .deletedHere: kind = .deleted
    case .note(let note):
      kind = .note
      text = view.text(of: note, directory)
      // These say what was done, and not by whom.
      if note == .requestAccepted || note == .mediaSaved { text = "\(directory.name(view.author)) \(text)" }
    }
    quote = view.quoted.map { quoted in
      Quote(id: quoted.message?.rawValue, author: directory.name(quoted.author), text: quoted.body)
    }
    files = view.numberedAttachments.map { File($0) }
    reactions = Self.reactions(of: view, directory)
    linkTitle = view.link?.title
    isEdited = view.editedAt != nil
    whisper = view.whisper.map { whisper in
      switch whisper {
      case .moderators: "whispered to the moderators"
      case .person(let person): "whispered to \(directory.name(person))"
      }
    }
    changeFailure = view.changeFailure
    disappearsAt = view.disappearsAt
  }

  /// The reactions with the same emoji together, in the order of the first of each.
  private static func reactions(of view: MessageView, _ directory: Directory) -> [Reaction] {
    var reactions: [Reaction] = []
    for reaction in view.reactions {
      let (name, isOwn) = (directory.name(reaction.author), reaction.author == directory.own)
      if let index = reactions.firstIndex(where: { $0.emoji == reaction.emoji }) {
        reactions[index].people.append(name)
        reactions[index].others += reaction.others
        reactions[index].isOwn = reactions[index].isOwn || isOwn
      } else {
        reactions.append(
          Reaction(emoji: reaction.emoji, people: [name], others: reaction.others, isOwn: isOwn))
      }
    }
    return reactions
  }
}

extension ShownMessage.State {
  fileprivate init(_ view: MessageView) {
    self =
      switch view.state {
      case .received: .received
      case .sending: .sending
      case .sent: view.readByRecipientAt == nil ? .sent : .read
      case .failed(let reason): .failed(reason)
      case .unsynced(let reason): .unsynced(reason)
      }
  }
}

extension ShownMessage.File {
  fileprivate init(_ file: NumberedAttachment) {
    let state: State =
      switch file.file.state {
      case .remote: .remote
      case .downloading, .uploading: .moving
      case .ready: .here
      case .failed: .failed
      case .unusable: .gone
      }
    self.init(
      id: file.file.id.rawValue, name: file.savedName, size: ByteCount.text(file.file.size), state: state,
      caption: file.file.caption)
  }
}
