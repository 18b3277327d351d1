import SessionBase
import SessionCore
import SessionStorage

/// The form in which one reader gets messages.
struct MessageWriter: Sendable {
  let reader: MessageReader
  /// The number of reactors to name for each emoji.
  let reactors: Int

  /// A message with its text, and its true number.
  func object(
    _ message: MessageRow, sequence: Int64? = nil, in transaction: borrowing some Reading & ~Copyable
  ) throws(StorageError) -> JSONValue {
    var json = CommunityJSON()
    json.add("id", .integer(message.id))
    json.add("session_id", .string(message.signer))
    json.add("posted", time: message.posted)
    json.add("edited", time: message.edited)
    json.add("seqno", .integer(sequence ?? message.sequence))
    guard let text = message.text, !message.isFiltered || message.author == reader.person else {
      json.add("data", .null)
      json.add("deleted", .boolean(true))
      return json.value
    }
    json.add("data", .string(text.bytes.base64))
    json.add("signature", text: message.signature?.base64)
    json.add("filtered", if: message.isFiltered)
    json.add("whisper", if: message.isWhisper)
    json.add("whisper_mods", if: message.isWhisperToModerators)
    json.add("whisper_to", text: message.recipient)
    json.add("reactions", try reactions(to: message, in: transaction))
    return json.value
  }

  /// A message at its place in the changes of a room.
  func object(
    _ placed: PlacedMessage, in transaction: borrowing some Reading & ~Copyable
  ) throws(StorageError) -> JSONValue {
    guard placed.isReactionOnly else {
      return try object(placed.message, sequence: placed.place, in: transaction)
    }
    return [
      "id": .integer(placed.message.id), "seqno": .integer(placed.place),
      "reactions": try reactions(to: placed.message, in: transaction),
    ]
  }

  private func reactions(
    to message: MessageRow, in transaction: borrowing some Reading & ~Copyable
  ) throws(StorageError) -> JSONValue {
    guard message.reacted > 0 else { return .object([]) }
    let all = try transaction.reactions(to: message.id, reactors: reactors, for: reader.person)
    return .object(
      all.enumerated().map { index, reaction in
        var json = CommunityJSON()
        json.add("index", .integer(Int64(index)))
        json.add("count", .integer(reaction.count))
        json.add("reactors", .array(reaction.reactors.map { .string($0) }))
        json.add("you", if: reaction.isOfCaller)
        return JSONValue.Member(reaction.emoji, json.value)
      })
  }
}
