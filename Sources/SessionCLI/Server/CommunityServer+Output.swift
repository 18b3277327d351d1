import SessionCore
import SessionServers

extension CommunityStatus {
  func fields(_ reach: CommunityReach) -> [(label: String, value: CommandOutput.Part)] {
    [
      ("key", .text(key)), ("url", .text(url)), ("reached", .text(reach.words)),
      ("addresses", .text(addresses.joined(separator: " "))), ("rooms", .text("\(rooms)")),
      ("people", .text("\(persons)")), ("messages", .text("\(messages)")),
      ("files", .text("\(fileBytes / 1_048_576) of \(maxFileBytes / 1_048_576) MiB")),
      ("requests", .text("\(requests)")), ("memory", .text("\(memory / 1_048_576) MiB")),
      ("uptime", .text("\(uptimeSeconds) s")),
    ]
  }

  func json(_ reach: CommunityReach) -> JSONObject {
    [
      "key": .string(key), "url": .string(url), "url_answers": .string(reach.rawValue),
      "addresses": .strings(addresses),
      "rooms": .integer(UInt64(rooms)), "people": .integer(UInt64(persons)),
      "messages": .integer(UInt64(messages)), "file_bytes": .integer(UInt64(fileBytes)),
      "max_file_bytes": .integer(UInt64(maxFileBytes)), "requests": .integer(requests),
      "memory": .integer(UInt64(memory)), "uptime_seconds": .integer(UInt64(uptimeSeconds)),
    ]
  }
}

extension CommunityReach {
  fileprivate var words: String {
    switch self {
    case .server: "yes, asked from this machine"
    case .other: "no, something without the key of this server listens there"
    case .nothing: "no, nothing answers to this machine"
    }
  }
}

extension RoomReport {
  var fields: [(label: String, value: CommandOutput.Part)] {
    [
      ("room", .text(token)), ("name", .text(name)), ("description", .text(description ?? "")),
      ("link", .text(link)), ("permissions", .text(permissions)), ("changes", .text("\(messages)")),
      ("active", .text("\(activeUsers)")), ("picture", .text(hasImage ? "yes" : "no")),
      ("slow", .text("\(slow) s")), ("newcomers write", .text("after \(newcomerWrite) min")),
      ("newcomers upload", .text("after \(newcomerUpload) min")),
      ("messages kept", .text(retention.map { "\($0) days" } ?? "for ever")),
    ]
  }

  var json: JSONObject {
    var json: JSONObject = [
      "room": .string(token), "name": .string(name), "link": .string(link),
      "permissions": .string(permissions), "changes": .integer(UInt64(messages)),
      "active_users": .integer(UInt64(activeUsers)), "picture": .boolean(hasImage),
      "slow_seconds": .integer(UInt64(slow)), "newcomer_write_minutes": .integer(UInt64(newcomerWrite)),
      "newcomer_upload_minutes": .integer(UInt64(newcomerUpload)),
    ]
    json["description"] = description.map { .string($0) }
    json["retention_days"] = retention.map { .integer(UInt64($0)) }
    return json
  }
}

extension PersonReport {
  var row: [String] {
    let marks = [
      role.flatMap { $0 == .member ? nil : $0.rawValue }, isHidden == true ? "hidden" : nil,
      isBanned == true ? "banned" : nil, permissions, until.map { "until \(LocalTime.text($0))" },
      lastActive.map { "active \(LocalTime.text($0))" },
    ]
    return [room ?? "(server)", id, marks.compactMap { $0 }.joined(separator: " ")]
  }

  var json: JSONObject {
    var json: JSONObject = ["id": .string(id)]
    json["room"] = room.map { .string($0) }
    json["role"] = role.map { .string($0.rawValue) }
    json["hidden"] = isHidden.map { .boolean($0) }
    json["banned"] = isBanned.map { .boolean($0) }
    json["until"] = until.map { .integer(UInt64(clamping: $0)) }
    json["last_active"] = lastActive.map { .integer(UInt64(clamping: $0)) }
    json["created"] = created.map { .integer(UInt64(clamping: $0)) }
    json["permissions"] = permissions.map { .string($0) }
    return json
  }
}

extension LogReport {
  var row: [String] {
    [
      LocalTime.text(at), room ?? "(server)", actor ?? "(operator)", what, whom ?? "",
      message.map { "message \($0)" } ?? "", until.map { "until \(LocalTime.text($0))" } ?? "",
    ]
  }

  var json: JSONObject {
    var json: JSONObject = [
      "id": .integer(UInt64(id)), "at": .integer(UInt64(clamping: at)), "what": .string(what),
    ]
    json["room"] = room.map { .string($0) }
    json["by"] = actor.map { .string($0) }
    json["whom"] = whom.map { .string($0) }
    json["message"] = message.map { .integer(UInt64(clamping: $0)) }
    json["until"] = until.map { .integer(UInt64(clamping: $0)) }
    return json
  }
}

extension HistoryReport {
  var row: [String] {
    // The readable part of what is mostly text.
    [
      LocalTime.text(at), actor ?? "(operator)",
      String(decoding: data ?? [], as: UTF8.self).filter { !$0.isNewline },
    ]
  }

  var json: JSONObject {
    var json: JSONObject = ["at": .integer(UInt64(clamping: at)), "data": .string(data?.base64 ?? "")]
    json["by"] = actor.map { .string($0) }
    return json
  }
}

extension CommunityReport {
  /// The report as the output of a command.
  func output(asJSON: Bool) -> CommandOutput {
    if asJSON { return CommandOutput(lines: lines) }
    switch self {
    case .rooms(let rooms):
      let table = TextTable(
        head: ["ROOM", "NAME", "ACTIVE", "LINK"],
        rows: rooms.map { [$0.token, $0.name, "\($0.activeUsers)", $0.link] })
      return CommandOutput(data: table.parts, notes: rooms.isEmpty ? ["no rooms"] : [], isList: true)
    case .people(let people):
      let table = TextTable(head: ["ROOM", "PERSON", ""], rows: people.map(\.row))
      return CommandOutput(data: table.parts, notes: people.isEmpty ? ["no people"] : [], isList: true)
    case .log(let actions):
      let table = TextTable(
        head: ["TIME", "ROOM", "BY", "WHAT", "WHOM", "MESSAGE", ""], rows: actions.map(\.row))
      return CommandOutput(data: table.parts, notes: actions.isEmpty ? ["no actions"] : [], isList: true)
    case .history(let texts):
      let table = TextTable(head: ["TIME", "BY", "CONTENT"], rows: texts.map(\.row))
      return CommandOutput(data: table.parts, notes: texts.isEmpty ? ["no former texts"] : [], isList: true)
    case .done: return CommandOutput()
    }
  }

  private var lines: [JSONObject] {
    switch self {
    case .rooms(let rooms): rooms.map(\.json)
    case .people(let people): people.map(\.json)
    case .log(let actions): actions.map(\.json)
    case .history(let texts): texts.map(\.json)
    case .done: []
    }
  }
}
