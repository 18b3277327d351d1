import SessionBase
import SessionCore
import SessionNetworking

extension CommunityState {
  private static let letterLifetime: Int64 = 15 * 24 * 3_600_000

  /// Letters between two people.
  mutating func post(_ request: Request, _ path: [String], by caller: String?) throws(Refusal)
    -> CommunityReply
  {
    let caller = try require(caller)
    guard capabilities.contains("blind") else { throw Refusal(status: 401) }
    switch (request.method, path.count) {
    case ("POST", 2): return try send(request.json, to: path[1], by: caller)
    case ("DELETE", 1):
      let count = letters.count { $0.recipient == caller }
      letters.removeAll { $0.recipient == caller }
      return .json(["deleted": .integer(Int64(count))])
    case ("GET", _):
      let isOutbox = path[0] == "outbox"
      let last = path.count == 3 ? Int64(path[2]) ?? 0 : 0
      let found = letters.filter {
        (isOutbox ? $0.sender : $0.recipient) == caller && $0.number > last
      }.prefix(min(request.number("limit") ?? 100, 256))
      if found.isEmpty, path.count == 3 { return CommunityReply(status: 304, body: []) }
      return .json(.array(found.map { describe($0) }))
    default: throw Refusal(status: 404)
    }
  }

  /// Adds a forged letter: a hostile server can.
  public mutating func deliver(_ data: [UInt8], from sender: String, to recipient: String) {
    letters.append(
      Letter(number: nextNumber(), sender: sender, recipient: recipient, posted: now(), data: data))
  }

  private mutating func send(_ json: JSONValue, to recipient: String, by caller: String) throws(Refusal)
    -> CommunityReply
  {
    guard users.contains(recipient), !bannedEverywhere.contains(recipient) else { throw Refusal(status: 404) }
    guard let text = json["message"]?.string, let data = try? [UInt8](base64: text.utf8) else {
      throw Refusal(status: 400)
    }
    let letter = Letter(number: nextNumber(), sender: caller, recipient: recipient, posted: now(), data: data)
    letters.append(letter)
    guard case .object(let members) = describe(letter) else { throw Refusal(status: 500) }
    return .json(.object(members.filter { $0.name != "message" }), status: 201)
  }

  private func describe(_ letter: Letter) -> JSONValue {
    [
      "id": .integer(letter.number), "message": .string(letter.data.base64),
      "sender": .string(letter.sender), "recipient": .string(letter.recipient),
      "posted_at": .decimal(Double(letter.posted) / 1000),
      "expires_at": .decimal(Double(letter.posted + Self.letterLifetime) / 1000),
    ]
  }

  // MARK: - Moderation

  mutating func describe(_ token: String, as json: JSONValue, by caller: String) throws(Refusal)
    -> CommunityReply
  {
    guard let room = rooms[token], room.admins.contains(caller) else { throw Refusal(status: 403) }
    if let name = json["name"]?.string { rooms[token]?.name = name }
    if let description = json["description"] { rooms[token]?.description = description.string }
    if let image = json["image"]?.integer {
      guard files[image]?.room == token else { throw Refusal(status: 406) }
      rooms[token]?.imageID = image
    }
    rooms[token]?.infoUpdates += 1
    return .json(["info_updates": .integer(room.infoUpdates + 1)])
  }

  /// Takes the right to write for ever, or gives it back after a time.
  mutating func setWriting(_ person: String, _ json: JSONValue, in token: String, by caller: String)
    throws(Refusal) -> CommunityReply
  {
    guard let room = rooms[token], room.isModerator(caller) else { throw Refusal(status: 403) }
    if json["default_write"]?.boolean == true {
      rooms[token]?.muted[person] = nil
    } else if let seconds = json["in"]?.integer {
      rooms[token]?.muted[person] = now() + 1000 * seconds
    } else {
      rooms[token]?.muted[person] = json["write"]?.boolean == false ? .max : nil
    }
    return .json([:])
  }

  mutating func moderate(_ person: String, _ action: String, _ json: JSONValue, by caller: String?)
    throws(Refusal) -> CommunityReply
  {
    let caller = try require(caller)
    guard case .array(let names)? = json["rooms"], json["global"] == nil else { throw Refusal(status: 403) }
    for token in names.compactMap(\.string) {
      guard let room = rooms[token], room.isModerator(caller) else { throw Refusal(status: 403) }
      switch action {
      case "ban":
        guard person != caller else { throw Refusal(status: 403) }
        rooms[token]?.banned.insert(person)
      case "unban": rooms[token]?.banned.remove(person)
      case "moderator":
        guard room.admins.contains(caller) else { throw Refusal(status: 403) }
        let (isModerator, isAdmin) = (json["moderator"]?.boolean ?? false, json["admin"]?.boolean ?? false)
        guard isModerator || !isAdmin else { throw Refusal(status: 400) }
        rooms[token]?.admins.remove(person)
        rooms[token]?.moderators.remove(person)
        if isAdmin {
          rooms[token]?.admins.insert(person)
        } else if isModerator {
          rooms[token]?.moderators.insert(person)
        }
        rooms[token]?.infoUpdates += 1
      default: throw Refusal(status: 404)
      }
    }
    return .json([:])
  }
}
