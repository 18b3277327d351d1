import SessionBase
import SessionCore
import SessionNetworking

extension CommunityState {
  mutating func route(_ request: Request, by caller: String?) throws(Refusal) -> CommunityReply {
    let path = request.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      String($0)
    }
    switch (request.method, path[0]) {
    case ("GET", "capabilities"):
      return .json(["capabilities": .array(capabilities.map { .string($0) })])
    case ("GET", "rooms"):
      let visible = rooms.filter { !$0.value.banned.contains(caller ?? "") }
      return .json(
        .array(visible.sorted { $0.key < $1.key }.map { describe($0.value, $0.key, for: caller) }))
    case ("DELETE", "rooms") where path.count == 3: return try deleteEverywhere(path[2], by: caller)
    case (_, "room") where path.count >= 2: return try route(request, Array(path.dropFirst()), by: caller)
    case ("POST", "user") where path.count == 3:
      return try moderate(path[1], path[2], request.json, by: caller)
    case (_, "inbox"), ("GET", "outbox"): return try post(request, path, by: caller)
    default: throw Refusal(status: 404)
    }
  }

  /// A request about a room: its name and what follows.
  private mutating func route(_ request: Request, _ path: [String], by caller: String?) throws(Refusal)
    -> CommunityReply
  {
    let token = path[0].lowercased()
    guard let room = rooms[token], !room.banned.contains(caller ?? "") || path.count > 1 else {
      throw Refusal(status: 404)
    }
    if request.method == "PUT", path.count == 1 {
      return try describe(token, as: request.json, by: try require(caller))
    }
    guard path.count > 1 else { return .json(describe(room, token, for: caller)) }
    let number = path.count > 2 ? Int64(path[2]) : nil
    guard room.allows(caller, \.canRead) else { throw Refusal(status: 403) }
    switch (request.method, path[1], path.count) {
    case ("GET", "pollInfo", 3):
      var members = flags(of: room, for: caller)
      members += [.init("token", .string(token)), .init("active_users", .integer(Int64(users.count)))]
      if number != room.infoUpdates { members.append(.init("details", describe(room, token, for: caller))) }
      return .json(.object(members))
    case ("GET", "messages", _): return .json(.array(page(of: room, path, request, for: caller)))
    case ("GET", "message", 3):
      guard let message = room.messages.first(where: { $0.number == number }), message.data != nil,
        room.shows(message, to: caller)
      else { throw Refusal(status: 404) }
      return .json(describe(message, for: caller))
    case ("POST", "message", 2): return try post(request.json, in: token, by: try require(caller))
    case ("PUT", "message", 3):
      return try edit(number ?? 0, request.json, in: token, by: try require(caller))
    case ("DELETE", "message", 3): return try delete(number ?? 0, in: token, by: try require(caller))
    case ("DELETE", "all", 3): return try deleteAll(path[2], in: token, by: try require(caller))
    case ("PUT", "reaction", 4), ("DELETE", "reaction", 4):
      return try react(
        path[3], to: number ?? 0, in: token, by: try require(caller), adds: request.method == "PUT")
    case ("DELETE", "reactions", _):
      return try removeReactions(
        path.count > 3 ? path[3] : nil, from: number ?? 0, in: token, by: try require(caller))
    case ("POST", "pin", 3), ("POST", "unpin", 3):
      return try pin(path[2], in: token, by: try require(caller), adds: path[1] == "pin")
    case ("POST", "permissions", 3), ("POST", "futurePermissions", 3):
      return try setWriting(path[2], request.json, in: token, by: try require(caller))
    case ("POST", "file", 2):
      guard room.allows(caller, \.canUpload) else { throw Refusal(status: 403) }
      let id = nextNumber()
      files[id] = (token, request.body)
      return .json(["id": .integer(id)], status: 201)
    case ("GET", "file", _):
      guard let file = files[number ?? 0], file.room == token else { throw Refusal(status: 404) }
      return CommunityReply(
        status: 200, headers: [ServerResponse.Header("content-type", "application/octet-stream")],
        body: file.bytes)
    default: throw Refusal(status: 404)
    }
  }

  func require(_ caller: String?) throws(Refusal) -> String {
    guard let caller else { throw Refusal(status: 401) }
    return caller
  }
}

extension CommunityState.Request {
  var json: JSONValue { (try? JSONReader.value(of: body)) ?? .null }
}

extension CommunityState.Room {
  func isModerator(_ id: String?) -> Bool {
    id.map { moderators.contains($0) || admins.contains($0) } ?? false
  }

  func allows(_ id: String?, _ right: KeyPath<Self, Bool>) -> Bool {
    guard !banned.contains(id ?? "") else { return false }
    return isModerator(id) || self[keyPath: right]
  }

  /// A whisper is shown to its author, its recipient and the moderators.
  func shows(_ message: CommunityState.Message, to id: String?) -> Bool {
    if message.isFiltered { return false }
    guard message.isWhisper else { return true }
    return message.author == id || isModerator(id) || (id != nil && message.whisperTo == id)
  }
}

// MARK: - Descriptions

extension CommunityState {
  func describe(_ room: Room, _ token: String, for caller: String?) -> JSONValue {
    var members = flags(of: room, for: caller)
    members += [
      .init("token", .string(token)), .init("name", .string(room.name)),
      .init("info_updates", .integer(room.infoUpdates)), .init("message_sequence", .integer(room.sequence)),
      .init("created", .decimal(Double(room.created) / 1000)),
      .init("active_users", .integer(Int64(users.count))),
      .init("moderators", .array(room.moderators.sorted().map { .string($0) })),
      .init("admins", .array(room.admins.sorted().map { .string($0) })),
      .init("hidden_moderators", []), .init("hidden_admins", []),
      .init(
        "pinned_messages",
        .array(
          room.pins.map { pin in
            [
              "id": .integer(pin.number), "pinned_at": .decimal(Double(pin.at) / 1000),
              "pinned_by": .string(pin.by),
            ]
          })),
    ]
    if let description = room.description { members.append(.init("description", .string(description))) }
    if let imageID = room.imageID { members.append(.init("image_id", .integer(imageID))) }
    return .object(members)
  }

  fileprivate func flags(of room: Room, for caller: String?) -> [JSONValue.Member] {
    let canWrite = room.allows(caller, \.canWrite)
    var members: [JSONValue.Member] = [
      .init("read", .boolean(room.allows(caller, \.canRead))), .init("write", .boolean(canWrite)),
      .init("upload", .boolean(canWrite && room.allows(caller, \.canUpload))),
    ]
    if room.isModerator(caller) {
      members += [.init("moderator", true), .init("default_write", .boolean(room.canWrite))]
    }
    if let caller, room.admins.contains(caller) { members.append(.init("admin", true)) }
    return members
  }

  /// A page that ends for its size, as those of some servers do.
  fileprivate func page(of room: Room, _ path: [String], _ request: Request, for caller: String?)
    -> [JSONValue]
  {
    var bytes = 0
    return wholePage(of: room, path, request, for: caller).prefix { row in
      defer { bytes += row.description.utf8.count }
      return bytes < pageBytes
    }
  }

  private func wholePage(of room: Room, _ path: [String], _ request: Request, for caller: String?)
    -> [JSONValue]
  {
    let limit = min(max(request.number("limit") ?? 100, 1), 256)
    let shown = room.messages.filter { room.shows($0, to: caller) }
    let start = path.count > 3 ? Int64(path[3]) ?? 0 : 0
    switch path.count > 2 ? path[2] : "" {
    case "recent":
      return shown.filter { $0.data != nil }.suffix(limit).reversed().map { describe($0, for: caller) }
    case "before":
      return shown.filter { $0.data != nil && $0.number < start }.suffix(limit).reversed().map {
        describe($0, for: caller)
      }
    case "since":
      // Deletions are reported to those who may have the message.
      let changed = shown.filter { $0.sequence > start && ($0.data != nil || $0.createdAs <= start) }
      return changed.sorted { $0.sequence < $1.sequence }.prefix(limit).map { message in
        guard message.data != nil, message.textSequence <= start else {
          return describe(message, for: caller)
        }
        return [
          "id": .integer(message.number), "seqno": .integer(message.sequence),
          "reactions": reactions(of: message, for: caller),
        ]
      }
    default: return []
    }
  }

  func describe(_ message: Message, for caller: String?) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", .integer(message.number)), .init("session_id", .string(message.author)),
      .init("posted", .decimal(Double(message.posted) / 1000)), .init("seqno", .integer(message.sequence)),
    ]
    guard let data = message.data, let signature = message.signature else {
      return .object(members + [.init("data", .null), .init("deleted", true)])
    }
    members += [
      .init("data", .string(data.base64)), .init("signature", .string(signature.base64)),
    ]
    if let edited = message.edited { members.append(.init("edited", .decimal(Double(edited) / 1000))) }
    if message.isWhisper { members.append(.init("whisper", true)) }
    if message.isWhisperToModerators { members.append(.init("whisper_mods", true)) }
    if let recipient = message.whisperTo { members.append(.init("whisper_to", .string(recipient))) }
    if message.isFiltered { members.append(.init("filtered", true)) }
    if !message.reactions.isEmpty { members.append(.init("reactions", reactions(of: message, for: caller))) }
    return .object(members)
  }

  private func reactions(of message: Message, for caller: String?) -> JSONValue {
    .object(
      message.reactions.enumerated().map { index, reaction in
        JSONValue.Member(
          reaction.emoji,
          [
            "index": .integer(Int64(index)), "count": .integer(Int64(reaction.by.count)),
            "reactors": .array(reaction.by.prefix(5).map { .string($0) }),
            "you": .boolean(caller.map { reaction.by.contains($0) } ?? false),
          ])
      })
  }
}
