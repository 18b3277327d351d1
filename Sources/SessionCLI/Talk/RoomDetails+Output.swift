import SessionCore
import SessionMessaging

extension RoomDetails {
  /// For programs.
  var json: JSONObject {
    var object = room.json
    object["link"] = .string(link)
    object["complete"] = .boolean(isComplete)
    object["picture"] = .boolean(hasPicture)
    object["moderators"] = .objects(moderators.map { $0.json(room.id) })
    object["pins"] = .objects(pins.map(\.json))
    return object
  }

  /// For eyes.
  func output(_ directory: Directory) -> CommandOutput {
    var fields: [(label: String, value: CommandOutput.Part)] = [
      ("name", .text(DisplayText.line(room.name))), ("state", .text(room.shownState)),
      ("users", .text("\(room.userCount)")),
    ]
    if let description = room.description, !description.isEmpty {
      fields.append(("about", .text(DisplayText.line(description))))
    }
    fields.append(("link", .text(DisplayText.line(link))))
    for moderator in moderators {
      fields.append((moderator.isAdmin ? "admin" : "moderator", .text(moderator.id.description)))
    }
    for pin in pins {
      let text =
        pin.message.map {
          "#\($0.id.rawValue)  \(DisplayText.fitted(DisplayText.line($0.shownText(directory)), to: 60))"
        }
        ?? pin.copy.map { DisplayText.fitted(DisplayText.line($0.body), to: 60) }
      fields.append(("pinned", .text(text ?? "a message that is not on this device")))
    }
    return CommandOutput(fields: fields)
  }
}

extension RoomDetails.Moderator {
  /// For programs.
  func json(_ room: Conversation.ID) -> JSONObject {
    [
      "type": .string("moderator"), "conversation": .string(room.description),
      "id": .string(id.description), "admin": .boolean(isAdmin), "hidden": .boolean(isHidden),
    ]
  }

  static let columns = ["id", "role"]

  /// For eyes.
  var row: [String] {
    [id.description, (isAdmin ? "admin" : "moderator") + (isHidden ? ", hidden" : "")]
  }
}

extension RoomDetails.Pin {
  fileprivate var json: JSONObject {
    var object = JSONObject(members: [("pinned_at", .time(pinnedAt))])
    object["message"] = message.map { .integer(UInt64(clamping: $0.id.rawValue)) }
    object["by"] = pinnedBy.map { .string($0.description) }
    if let copy {
      object["author"] = .string(copy.author.description)
      object["posted_at"] = .time(copy.postedAt)
      object["body"] = .string(copy.body)
    }
    return object
  }
}

extension RoomListing {
  /// For programs.
  var json: JSONObject {
    var object: JSONObject = [
      "type": .string("listed-room"), "link": .string(link), "name": .string(name),
      "users": .integer(UInt64(clamping: userCount)),
    ]
    object["description"] = description.map { .string($0) }
    return object
  }

  static let columns = ["name", "users", "link"]

  /// For eyes.
  var row: [String] {
    [
      DisplayText.fitted(DisplayText.line(name), to: 32), userCount > 0 ? "\(userCount)" : "",
      DisplayText.line(link),
    ]
  }
}
