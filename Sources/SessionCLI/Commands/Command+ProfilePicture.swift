import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let profilePictureSet = Command(
    name: "profile picture set",
    summary: "change your picture",
    discussion: "Contacts see it with your next message. Location and other metadata are removed from it.",
    arguments: [
      .init(name: "FILE|-", summary: "a PNG, JPEG, GIF or WebP image of up to 5 MB")
    ],
    options: [.timeout, .account],
    examples: [.init(line: "session profile picture set me.jpg", summary: "change your picture")],
    rpc: .method(.manage)
  ) { invocation, io in
    let picture = try io.picture(from: invocation.arguments[0])
    return try await invocation.changing(io, showing: "uploading the picture") { messenger in
      try await messenger.setPicture(picture)
      return CommandOutput()
    }
  }

  static let profilePictureClear = Command(
    name: "profile picture clear",
    summary: "remove your picture",
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.changing(io) { messenger in
      try await messenger.setPicture(nil)
      return CommandOutput()
    }
  }

  static let profilePictureSave = Command(
    name: "profile picture save",
    summary: "save your picture, or that of a contact, group or room",
    discussion: "Saves the picture that is on this device; an existing file is not replaced.",
    arguments: [.init(name: "FILE|-", summary: "the new file, or - for standard output")],
    options: [
      .init(name: "of", value: "CHAT", summary: "whose picture; your own by default"), .account,
    ],
    examples: [
      .init(line: "session profile picture save bob.jpg --of bob", summary: "save the picture of a contact")
    ],
    rpc: .none(.writesFiles)
  ) { invocation, io in
    let path = invocation.arguments[0]
    let picture = try await invocation.reading(io) { messenger in
      guard let word = invocation["of"] else { return try await messenger.picture(of: messenger.id) }
      return try await messenger.shownPicture(
        of: try await Directory(of: messenger).conversation(word, io))
    }
    guard let picture else { throw CommandFailure.data("there is no picture on this device") }
    guard path != "-" else { return CommandOutput(data: [.bytes(picture)]) }
    try await SessionError.files {
      try await FileWriter.write(path) { file in try await file.write(picture) }
    }
    return CommandOutput()
  }
}

extension Messenger {
  /// Returns the picture of a conversation, if it is on this device.
  fileprivate nonisolated func shownPicture(of conversation: Conversation.ID) async throws -> [UInt8]? {
    switch conversation {
    case .person(let person): try await picture(of: person)
    case .group: try await picture(of: conversation)
    case .room: try await picture(ofRoom: conversation)
    }
  }
}
