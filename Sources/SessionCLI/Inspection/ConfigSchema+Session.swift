import SessionCore

// The schemas of all kinds of config.

extension ConfigSchema {
  /// The data of a kind of config; nil for the keys of groups, which have none.
  static func data(of kind: ConfigKind) -> ConfigSchema? {
    switch kind {
    case .profile: profile
    case .contacts: contacts
    case .conversations: conversations
    case .userGroups: userGroups
    case .groupInfo: groupInfo
    case .groupMembers: groupMembers
    case .local: local
    case .groupKeys: nil
    }
  }

  private static let notify = words("notify", ["1": "all", "2": "nothing", "3": "mentions"])
  private static let picture: [String: ConfigSchema] = ["p": "picture", "q": .secret("picture key")]
  private static let shared: [String: ConfigSchema] = [
    "@": notify, "!": .seconds("muted until"), "+": "priority", "i": .flag("invited"),
    "j": .seconds("joined"), "n": "name",
  ]

  private static func communities(_ room: ConfigSchema) -> ConfigSchema {
    each("communities", record("server", ["#": "server's key", "R": each("rooms", room)]))
  }

  private static let profile = record(
    "data",
    picture.merging([
      "n": "name", "+": "priority of notes", "e": "notes disappear after seconds",
      "M": .flag("blinded requests"), "t": .seconds("changed"), "P": "picture uploaded again",
      "Q": .secret("key of that"), "T": .seconds("uploaded again"), "f": "features",
      "s": .secret("Pro credential"), "E": "Pro access until", "A": .flag("Pro renews"),
      "G": "Pro grace in seconds", "R": .seconds("refund requested"), "I": .seconds("purchase begun"),
    ]) { $1 })

  private static let contacts = record(
    "data",
    [
      "c": each(
        "contacts",
        record(
          "contact",
          picture.merging([
            "n": "name", "N": "nickname", "t": .seconds("changed"), "a": .flag("approved"),
            "A": .flag("approved us"), "b": .flag("blocked"), "@": notify, "!": .seconds("muted until"),
            "+": "priority", "e": .words("disappearing", ["1": "after sending", "2": "after reading"]),
            "E": "disappear after seconds", "j": .seconds("created"), "f": "features",
          ]) { $1 })),
      "b": communities(
        record(
          "blinded contact",
          picture.merging([
            "n": "name", "t": .seconds("changed"), "+": "priority", "y": .flag("old blinding"),
            "j": .seconds("created"), "f": "features",
          ]) { $1 })),
    ])

  private static let readState: [String: ConfigSchema] = [
    "r": .milliseconds("read until"), "u": .flag("marked unread"), "e": "Pro until", "g": "Pro tag",
    "y": .flag("old blinding"),
  ]

  private static let conversations = record(
    "data",
    [
      "1": each("accounts", record("conversation", readState)),
      "g": each("groups", record("conversation", readState)),
      "o": communities(record("room", readState)),
      "b": each("blinded accounts", record("conversation", readState)),
      "C": each("legacy groups", record("conversation", readState)),
    ])

  private static let userGroups = record(
    "data",
    [
      "g": each(
        "groups",
        record(
          "group",
          shared.merging([
            "K": .secret("admin's seed"), "s": .secret("member's access"),
            "r": .words("removed", ["1": "kicked", "2": "destroyed"]),
          ]) { $1 })),
      "o": communities(record("room", shared)),
      "C": each(
        "legacy groups",
        record(
          "legacy group",
          shared.merging([
            "k": "public key", "K": .secret("secret key"), "m": "members", "a": "admins",
            "E": "disappear after seconds",
          ]) { $1 })),
    ])

  private static let groupInfo = record(
    "data",
    picture.merging([
      "n": "name", "o": "description", "c": .seconds("created"), "E": "disappear after seconds",
      "d": .seconds("delete before"), "D": .seconds("delete attachments before"), "!": .flag("destroyed"),
    ]) { $1 })

  private static let sending = ["1": "sent", "2": "failed", "3": "not sent"]

  private static let groupMembers = record(
    "data",
    [
      "m": each(
        "members",
        record(
          "member",
          picture.merging([
            "n": "name", "t": .seconds("changed"), "A": .flag("admin"), "P": .words("promotion", sending),
            "I": .words("invitation", sending), "s": .flag("with history"),
            "R": .words("removed", ["1": "member", "2": "member and messages"]),
          ]) { $1 }))
    ])

  private static let local = record(
    "data",
    [
      "p": .words("preview", ["1": "name and text", "2": "name", "3": "nothing"]), "s": "sound",
      "t": .words(
        "theme", ["1": "classic dark", "2": "classic light", "3": "ocean dark", "4": "ocean light"]),
      "c": .words(
        "colour",
        [
          "1": "green", "2": "blue", "3": "yellow", "4": "pink", "5": "purple", "6": "orange", "7": "red",
        ]), "x": each("settings", .flag("setting")),
    ])

  // MARK: The keys of a group

  /// A message; what it holds is wrapped for those it is for.
  static let keysMessage = record(
    "message",
    [
      "#": "nonce", "+": "keys for new members", "G": "generation", "K": "key for admins",
      "k": "keys for members", "~": "signature",
    ])

  private static let groupKey = record(
    "key", ["g": "generation", "k": .secret("key"), "t": .milliseconds("stored")])

  /// The dump of a client.
  static let keysDump = record(
    "dump",
    [
      "A": "stored messages", "L": each("keys", groupKey),
      "P": record("pending key", ["c": "message", "g": "generation", "k": .secret("key")]),
      "R": each("contents of messages", "message"),
    ])
}
