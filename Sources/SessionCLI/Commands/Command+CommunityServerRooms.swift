import FoundationEssentials
import SessionBase
import SessionCore
import SessionServers

extension Command {
  static let serverRoomAdd = Command(
    name: "server community room add",
    summary: "add a room",
    discussion: "Shows the link by which people join it, also as a QR code on a terminal.",
    arguments: [.roomToken],
    options: [
      .init(name: "name", value: "NAME", summary: "its name", isRequired: true), .roomDescription,
      .roomPermissions, .communityServerConfig, .json,
    ],
    examples: [
      .init(
        line: "session server community room add lounge --name Lounge --config chat/community-server.toml",
        summary: "add a room that everybody may use")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let report = try await invocation.order(.addRoom(try invocation.roomSettings()), io)
    guard case .rooms(let rooms) = report, let room = rooms.first, !invocation.has("json") else {
      return report.output(asJSON: true)
    }
    return try room.invitation
  }

  static let serverRoomList = Command(
    name: "server community room list",
    summary: "list the rooms of a community server",
    options: [.communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    try await invocation.order(.listRooms, io).output(asJSON: invocation.has("json"))
  }

  static let serverRoomShow = Command(
    name: "server community room show",
    summary: "show the settings of a room",
    arguments: [.roomToken],
    options: [.communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let report = try await invocation.order(.showRoom(invocation.arguments[0]), io)
    guard case .rooms(let rooms) = report, let room = rooms.first, !invocation.has("json") else {
      return report.output(asJSON: true)
    }
    return CommandOutput(fields: room.fields)
  }

  static let serverRoomSet = Command(
    name: "server community room set",
    summary: "change the settings of a room",
    arguments: [.roomToken],
    options: [
      .init(name: "name", value: "NAME", summary: "its name"), .roomDescription, .roomPermissions,
      .init(name: "slow", value: "SECONDS", summary: "the least time between two posts of a person"),
      .init(name: "newcomer-write", value: "MINUTES", summary: "how long newcomers only read"),
      .init(name: "newcomer-upload", value: "MINUTES", summary: "how long newcomers upload nothing"),
      .init(name: "retention", value: "DAYS", summary: "how long messages are kept; 0 for ever"),
      .communityServerConfig, .json,
    ],
    examples: [
      .init(
        line:
          "session server community room set lounge --permissions=-u --slow 30 --config chat/community-server.toml",
        summary: "no files, and one post in half a minute")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let report = try await invocation.order(.changeRoom(try invocation.roomSettings()), io)
    return invocation.changed(report, "changed")
  }

  static let serverRoomImage = Command(
    name: "server community room image",
    summary: "set or remove the picture of a room",
    arguments: [
      .roomToken,
      .init(
        name: "FILE", summary: "a PNG, JPEG, GIF or WebP picture; without it the room has none",
        isOptional: true),
    ],
    options: [.communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    var content: Data?
    if invocation.arguments.count > 1 {
      content = try await WorkerQueue("session.command").run {
        Data(try OpenFile(reading: invocation.arguments[1]).readAll(upTo: 5_000_000))
      }
    }
    let report = try await invocation.order(
      .setImage(room: invocation.arguments[0], content: content), io)
    return invocation.changed(report, content == nil ? "the room has no picture" : "the picture was set")
  }

  static let serverRoomDelete = Command(
    name: "server community room delete",
    summary: "delete a room with all of its messages and files",
    arguments: [.roomToken],
    options: [
      .init(name: "yes", summary: "confirm it; nothing brings the room back"), .communityServerConfig,
      .json,
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    guard invocation.has("yes") else {
      throw invocation.misuse("the messages of the room cannot be restored; confirm with --yes")
    }
    let report = try await invocation.order(.deleteRoom(invocation.arguments[0]), io)
    return invocation.done(report, "deleted")
  }

  static let serverLink = Command(
    name: "server community link",
    summary: "show the link of a room and its QR code",
    discussion:
      "People join the room by the link. In a browser it is the page of a room that everybody may read.",
    arguments: [.roomToken],
    options: [.communityServerConfig, .json],
    examples: [
      .init(
        line: "session server community link lounge --config chat/community-server.toml",
        summary: "show the link of a room")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let report = try await invocation.order(.showRoom(invocation.arguments[0]), io)
    guard case .rooms(let rooms) = report, let room = rooms.first else { return CommandOutput() }
    guard !invocation.has("json") else {
      return CommandOutput(json: ["room": .string(room.token), "link": .string(room.link)])
    }
    return try room.invitation
  }
}

extension Command.Argument {
  static let roomToken = Self(name: "ROOM", summary: "the room's name in links: letters, digits, - and _")
}

extension Command.Option {
  fileprivate static let roomDescription = Self(
    name: "description", value: "TEXT", summary: "its description; empty for none")
  fileprivate static let roomPermissions = Self(
    name: "permissions", value: "LETTERS",
    summary: "what everybody may do: +w gives, -u takes, =rwua sets; read, write, upload, access",
    isRepeated: true)
}

extension RoomReport {
  /// The link of the room and its QR code.
  fileprivate var invitation: CommandOutput {
    get throws {
      var output = CommandOutput(fields: [("room", .text(token)), ("link", .text(link))])
      output.data.append(.text(try QRCode(link).text))
      return output
    }
  }
}

extension Invocation {
  /// The room as it is now, in JSON, or a note.
  fileprivate func changed(_ report: CommunityReport, _ note: String) -> CommandOutput {
    var output = has("json") ? report.output(asJSON: true) : CommandOutput()
    output.notes = [note]
    return output
  }

  fileprivate func roomSettings() throws(CommandFailure) -> RoomSettings {
    var settings = RoomSettings(token: arguments[0])
    (settings.name, settings.description) = (self["name"], self["description"])
    if !all("permissions").isEmpty { settings.permissions = try permissionSettings(all("permissions")) }
    settings.slow = try amount("slow", 86_400)
    settings.newcomerWrite = try amount("newcomer-write", 525_600)
    settings.newcomerUpload = try amount("newcomer-upload", 525_600)
    settings.retention = try amount("retention", 36_500)
    return settings
  }

  private func amount(_ option: String, _ most: Int64) throws(CommandFailure) -> Int64? {
    guard let text = self[option] else { return nil }
    guard let number = Int64(text), 0...most ~= number else { throw misuse("--\(option) is 0 to \(most)") }
    return number
  }

  /// Permissions as words; letters without a mark are all that there are.
  func permissionSettings(_ words: [String]) throws(CommandFailure) -> PermissionSettings {
    let marked = words.map { word in
      word.first.map { "+-=.".contains($0) } ?? true ? word : "=" + word
    }
    guard let settings = PermissionSettings(marked) else {
      throw misuse("permissions are +, -, = or . with the letters r, w, u and a")
    }
    return settings
  }
}
