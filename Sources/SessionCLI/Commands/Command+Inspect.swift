import SessionBase
import SessionCore

extension Command {
  static let inspectMessage = Command(
    name: "inspect message",
    summary: "decode a stored message, layer by layer",
    discussion: """
      Prints the offset, length, name and content of every field, the result of each signature check, and the rule
      that the message breaks, if any. Offsets start at 0 in each layer. The format is detected; without a key only
      the outer layers are decoded. Keys inside a message are not shown.

      Use --key for a message in an account's swarm, --group-id and --group-key for a group's, --key and --group-id
      for a notice to removed members, and --key, --server, --from and --to for a community inbox. With --key the
      message is also checked as that reader would, in a community's room with --from.
      """,
    arguments: [
      .init(name: "FILE|-", summary: "the bytes, or base64 text; standard input by default", isOptional: true)
    ],
    options: [
      .init(name: "key", value: "PHRASEFILE", summary: "the recovery phrase of the reader"),
      .init(name: "group-id", value: "ID", summary: "the group, for a message of its swarm"),
      .init(
        name: "group-key", value: "KEYFILE",
        summary: "the keys of the group, a line of 64 hexadecimal digits each"),
      .init(
        name: "server", value: "KEY", summary: "the key of the community's server, 64 hexadecimal digits"),
      .init(name: "from", value: "ID", summary: "the author, as reported by the community"),
      .init(name: "to", value: "ID", summary: "the owner of the inbox, as reported by the community"),
      .init(
        name: "posted", value: "SECONDS",
        summary: "when it was posted, since 1970; the time inside by default"),
      .init(
        name: "pro-backend", value: "KEY",
        summary: "the key of the backend that issues Pro proofs, 64 hexadecimal digits"),
      .json,
    ],
    examples: [
      .init(
        line: "session inspect message --key bob.phrase stored.txt", summary: "show all of a message to Bob"),
      .init(
        line: "session inspect message --group-id 03ea4a\u{2026}d22c --group-key keys stored.txt",
        summary: "show all of a message to a group"),
    ],
    rpc: .none(.isLocal)
  ) { invocation, io in
    try invocation.requireOneStandardInput(
      invocation.arguments.first, invocation["key"] ?? "no file", invocation["group-key"] ?? "no file")
    let keys = try invocation.inspectionKeys(io)
    let bytes = try io.bytesOrBase64(from: invocation.arguments.first)
    return CommandOutput(
      MessageInspection(keys: keys).inspect(bytes), asJSON: invocation.has("json"))
  }

  static let inspectConfig = Command(
    name: "inspect config",
    summary: "decode config messages and dumps, their changes, and their merge",
    discussion: """
      A config is the state that the devices of a person, or the members of a group, share. Each revision is one
      message with all of the data, its own changes (=), and the changes of the revisions it was made from (<).
      A FILE is such a message, plain or as stored in a swarm, whole or one part, or a dump that a client saved.
      For several FILEs the output shows which supersedes which, and the merge of the rest. Secrets are shown only
      with --secrets.

      Use --key for stored messages of an account and --group-key for those of a group; the kind is then detected.
      Otherwise --kind names the data: profile, contacts, conversations, groups, group-info, group-members or local,
      the settings of one device.

      The keys of a group have a message format of their own, which is detected and needs no key. With --group-id
      their signature is checked; with --kind group-keys and --key the output says whether they include keys for
      that account.
      """,
    arguments: [
      .init(
        name: "FILE|-", summary: "the bytes, or base64 text; standard input by default", isOptional: true,
        isRepeated: true)
    ],
    options: [
      .init(name: "kind", value: "KIND", summary: "the kind of config"),
      .init(name: "key", value: "PHRASEFILE", summary: "the recovery phrase of the account"),
      .init(
        name: "group-id", value: "ID",
        summary:
          "the group that signed it; the output then picks one revision, as members do, instead of merging"),
      .init(
        name: "group-key", value: "KEYFILE",
        summary: "the keys of the group, a line of 64 hexadecimal digits each"),
      .init(name: "secrets", summary: "show secrets too"),
      .json,
    ],
    examples: [
      .init(
        line: "session inspect config --key alice.phrase stored.txt",
        summary: "show what Alice's devices share"),
      .init(
        line: "session inspect config --kind profile phone.bin desktop.bin",
        summary: "merge two revisions of a profile"),
    ],
    rpc: .none(.isLocal)
  ) { invocation, io in
    let paths = invocation.arguments.isEmpty ? ["-"] : invocation.arguments
    try invocation.requireOneStandardInput(
      among: paths + [invocation["key"] ?? "no file", invocation["group-key"] ?? "no file"])
    let kind = try invocation.configKind()
    let keys = try invocation.configKeys(io)
    let inputs = try paths.map { path in
      ConfigInspection.Input(
        name: path == "-" ? "standard input" : path,
        bytes: try io.bytesOrBase64(from: path, limit: InputLimits.config))
    }
    let inspection = try ConfigInspection.inspect(
      inputs, kind: kind, keys: keys, showsSecrets: invocation.has("secrets"))
    return CommandOutput(inspection, asJSON: invocation.has("json"))
  }

  static let inspectBt = Command(
    name: "inspect bt",
    summary: "decode bt, the bencode of Session",
    arguments: [
      .init(name: "FILE|-", summary: "the bytes, or base64 text; standard input by default", isOptional: true)
    ],
    options: [.json],
    examples: [
      .init(
        line: "session inspect bt config.bin", summary: "show the values of a config and their offsets")
    ],
    rpc: .none(.isLocal)
  ) { invocation, io in
    // The base64 text of a value begins with none of the characters that values begin with.
    let bytes = try io.bytesOrBase64(from: invocation.arguments.first, rawBeginnings: "ild0123456789")
    return CommandOutput(BtInspection.inspect(bytes), asJSON: invocation.has("json"))
  }

  static let inspectID = Command(
    name: "inspect id",
    summary: "decode an id",
    arguments: [.init(name: "ID", summary: "66 hexadecimal digits")],
    options: [.json],
    examples: [
      .init(line: "session inspect id 05d2ad\u{2026}3a72", summary: "show its kind and its key")
    ],
    rpc: .none(.isLocal)
  ) { invocation, _ in
    try CommandOutput(
      Inspection(of: SessionID(parsing: invocation.arguments[0])), asJSON: invocation.has("json"))
  }
}

extension Invocation {
  fileprivate func inspectionKeys(_ io: CommandIO) throws(CommandFailure) -> MessageInspection.Keys {
    if self["group-id"] == nil, self["group-key"] != nil { throw misuse("--group-key needs --group-id") }
    if self["group-id"] != nil, self["group-key"] ?? self["key"] == nil {
      throw misuse("--group-id needs --group-key, or --key for a notice to removed members")
    }
    var keys = MessageInspection.Keys()
    keys.group = try id("group-id", .group)
    keys.server = try key("server")
    keys.sender = try id("from", .standard, .blinded15, .blinded25, .unblinded)
    keys.recipient = try id("to", .blinded15, .blinded25)
    keys.postedAt = try self["posted"].map(postedAt)
    keys.proBackend = try key("pro-backend")
    if let path = self["key"] { keys.reader = try io.account(from: path) }
    if let path = self["group-key"] { keys.groupKeys = try io.groupKeys(from: path) }
    return keys
  }

  fileprivate func configKind() throws(CommandFailure) -> ConfigKind? {
    guard let name = self["kind"] else { return nil }
    guard let kind = ConfigKind.shown.first(where: { $0.shownName == name }) else {
      let known = ConfigKind.shown.map(\.shownName)
      let hint = nearestName(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
      throw misuse("--kind is one of \(known.joined(separator: ", "))\(hint)")
    }
    switch kind {
    case .local:
      if self["key"] ?? self["group-key"] != nil {
        throw misuse("local settings are never stored: no key opens them")
      }
    case .groupKeys:
      if self["group-key"] != nil {
        throw misuse("--group-key opens no group-keys: --key does, with --group-id")
      }
    default:
      if self["key"] != nil, kind.isOfGroup { throw misuse("--key opens no \(name): --group-key does") }
      if self["group-key"] != nil, !kind.isOfGroup {
        throw misuse("--group-key opens no \(name): --key does")
      }
    }
    return kind
  }

  fileprivate func configKeys(_ io: CommandIO) throws(CommandFailure) -> ConfigInspection.Keys {
    let isForMember = self["kind"] == ConfigKind.groupKeys.shownName
    if self["key"] != nil, self["group-key"] ?? (isForMember ? nil : self["group-id"]) != nil {
      throw misuse("--key is for an account, --group-id and --group-key for a group")
    }
    var keys = ConfigInspection.Keys()
    keys.group = try id("group-id", .group)
    if let path = self["key"] { keys.account = try io.account(from: path) }
    if let path = self["group-key"] { keys.groupKeys = try io.groupKeys(from: path) }
    return keys
  }

  private func postedAt(_ text: String) throws(CommandFailure) -> MessageTime {
    guard let seconds = Double(text), let milliseconds = UInt64(exactly: (seconds * 1000).rounded(.down)),
      let time = try? MessageTime(milliseconds: milliseconds)
    else { throw misuse("--posted is a number of seconds since 1970") }
    return time
  }
}
