import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let securityShow = Command(
    name: "security show",
    summary: "show how messages of an account, or to a person, are protected",
    discussion: """
      Without PERSON it shows the state of forward secrecy on this device. With forward secrecy, a message is sealed for the
      devices of a person with keys that are erased after use: who steals a recovery phrase or a device later cannot read it.
      """,
    arguments: [.init(name: "PERSON", summary: "a contact; see 'session help names'", isOptional: true)],
    options: [.account, .json],
    examples: [
      .init(
        line: "session security show",
        summary: "show if forward secrecy is on, and the devices of the account"),
      .init(
        line: "session security show alice", summary: "show how the next message to alice will be protected"),
    ],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      guard let word = invocation.arguments.first else {
        let own = try await messenger.ownSecurity()
        return invocation.has("json") ? CommandOutput(json: own.json) : CommandOutput(fields: own.fields)
      }
      let directory = try await Directory(of: messenger)
      let person = try directory.person(word, io)
      guard person != directory.own, person.kind == .standard else {
        throw invocation.misuse("this is for the people whom you write to under their account ids")
      }
      let security = try await messenger.security(of: person)
      guard !invocation.has("json") else { return CommandOutput(json: security.json) }
      return CommandOutput(fields: security.fields(directory))
    }
  }

  static let securityEnable = Command(
    name: "security enable",
    summary: "switch on forward secrecy for messages to people",
    discussion: """
      Other people who use it too then send to the devices of this account alone. All devices of the account have to run this
      program: official apps would not see messages sent this way. A device that is restored from the recovery phrase later
      finds contacts, settings and groups, but none of the messages that were sent this way. Messages to people without it
      are sent as before.
      """,
    options: [
      .init(name: "yes", summary: "confirm that all devices of the account run this program"), .timeout,
      .account,
    ],
    examples: [
      .init(line: "session security enable --yes", summary: "switch it on, after reading what it changes")
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    guard invocation.has("yes") else {
      throw CommandFailure.usage(
        "do all devices of this account run this program? Official apps would not see messages sent this way, and a device "
          + "restored from the recovery phrase lacks them",
        advice: "If they do, repeat it with --yes.")
    }
    return try await invocation.changing(io) { messenger in
      try await messenger.enableSecurity()
      return CommandOutput(notes: [
        "Forward secrecy is on. A device restored from the recovery phrase lacks messages sent this way."
      ])
    }
  }

  static let securityDisable = Command(
    name: "security disable",
    summary: "switch off forward secrecy; messages are then sent as by official apps",
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.changing(io) { messenger in
      try await messenger.disableSecurity()
      return CommandOutput(notes: [
        "Forward secrecy is off. What others have sent with it arrives for two weeks more."
      ])
    }
  }

  static let securityReset = Command(
    name: "security reset",
    summary: "begin new sessions with the devices of a contact",
    discussion: """
      Use it if messages stay unreadable: the contact's devices then send them again. It does not weaken the protection.
      Sessions that fail also begin anew by themselves, within an hour or two.
      """,
    arguments: [.contact],
    options: [
      .init(
        name: "device", value: "ID",
        summary: "only with the device whose id begins so, as 'security show CONTACT --json' shows it"),
      .init(name: "yes", summary: "confirm that messages stay unreadable"), .timeout, .account,
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    guard invocation.has("yes") else {
      throw CommandFailure.usage(
        "this begins new sessions, for messages that stay unreadable; it does not weaken the protection",
        advice: "--yes begins them."
      )
    }
    return try await invocation.changing(io) { messenger in
      let person = try await Directory(of: messenger).person(invocation.arguments[0], io)
      var device: [UInt8]?
      if let word = invocation["device"] {
        device = try await messenger.security(of: person).devices.device(word).id
      }
      try await messenger.resetSessions(with: person, device: device)
      return CommandOutput(notes: ["New sessions begin with the next message of each side."])
    }
  }

  static let securitySet = Command(
    name: "security set",
    summary: "require forward secrecy for a contact, or leave it to the account's setting",
    arguments: [.contact, .init(name: "auto|require", parameter: "policy", summary: "the new policy")],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    let isRequired = try invocation.isRequired()
    return try await invocation.changing(io) { messenger in
      let person = try await Directory(of: messenger).person(invocation.arguments[0], io)
      try await messenger.setSecurityRequired(isRequired, for: person)
      return CommandOutput()
    }
  }
}

extension Invocation {
  fileprivate func isRequired() throws(CommandFailure) -> Bool {
    switch arguments[1] {
    case "require": return true
    case "auto": return false
    default: throw misuse("'\(arguments[1])' is neither auto nor require")
    }
  }
}

extension OwnSecurityView {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string("own-security"), "setting": .string(setting.rawValue), "closed": .boolean(isClosed),
      "new_devices": .string(newDevices.rawValue), "verification": .string(verificationPolicy.rawValue),
      "copied": .boolean(isForeign), "devices": .objects(devices.map(\.member)),
    ]
    object["published_at"] = publishedAt.map { .time($0) }
    object["rotated_at"] = rotatedAt.map { .time($0) }
    return object
  }

  fileprivate var fields: [(label: String, value: CommandOutput.Part)] {
    var state =
      setting == .off ? "off" : isClosed ? "on" : "keys are published, but not used for sending yet"
    if isForeign { state = "stopped: this account was copied from another machine" }
    var fields: [(label: String, value: CommandOutput.Part)] = [
      ("forward secrecy", .text(state)),
      ("published", .text(publishedAt.map { LocalTime.text($0) } ?? "never")),
      ("newest keys", .text(rotatedAt.map { LocalTime.text($0) } ?? "none")),
      ("new devices", .text(newDevices.rawValue)), ("verification", .text(verificationPolicy.rawValue)),
    ]
    if setting == .off { fields.append(("next", .text("to switch it on, run: session security enable"))) }
    if isForeign { fields.append(("next", .text("run: session device renew"))) }
    for device in devices { fields.append(("device", .text(device.text))) }
    return fields
  }
}

extension SecurityView {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string("security"), "conversation": .string(person.description),
      "policy": .string(isRequired ? "require" : "auto"), "devices": .objects(devices.map(\.member)),
      "verified": .string(verification.rawValue),
    ]
    object["level"] = level.map { .string($0.name) }
    object["because"] = obstacle.map { .string($0.rawValue) }
    object["healed_at"] = healedAt.map { .time($0) }
    return object
  }

  fileprivate func fields(_ directory: Directory) -> [(label: String, value: CommandOutput.Part)] {
    let receiving = devices.filter {
      $0.status == .accepted || $0.status == .provisional || $0.status == .settled
    }
    let next =
      switch level {
      case .sr1?:
        "forward secrecy and healing (SR1), to \(receiving.count) \(receiving.count == 1 ? "device" : "devices")"
      case .v1?: "as by official apps: \(obstacle?.text ?? "forward secrecy is not available")"
      case nil: obstacle == .waiting ? "keys of the other side are fetched first" : "cannot be sent"
      }
    var fields: [(label: String, value: CommandOutput.Part)] = [
      (directory.name(person), .text(person.description)), ("next message", .text(next)),
      ("policy", .text(isRequired ? "require" : "auto")),
    ]
    for device in devices { fields.append(("device", .text(device.text))) }
    fields.append(("last heard", .text(healedAt.map { LocalTime.text($0) } ?? "never")))
    let verified =
      switch verification {
      case .never: "no; to compare numbers, run: session verify show \(person)"
      case .verified: "yes"
      case .changed: "no longer; to compare again, run: session verify show \(person)"
      }
    fields.append(("verified", .text(verified)))
    return fields
  }
}

extension SecurityObstacle {
  fileprivate var text: String {
    switch self {
    case .off: "forward secrecy is off here"
    case .openRoster: "forward secrecy is not switched on for all devices of this account"
    case .noKeys: "the other side has published no keys"
    case .notAllDevices: "not all devices of the other side take part"
    case .foreign: "the other side moved to an app without forward secrecy"
    case .withdrawn: "the other side took its keys back"
    case .waiting: "keys are being fetched"
    case .notSupported: "there is no forward secrecy in this kind of conversation"
    }
  }
}

extension DeviceView {
  /// For programs, as a part of another object.
  fileprivate var member: JSONObject { JSONObject(members: members) }

  /// For programs.
  var json: JSONObject { JSONObject(members: [("v", .integer(1)), ("type", .string("device"))] + members) }

  private var members: [(String, JSONObject.Value)] {
    var members: [(String, JSONObject.Value)] = [
      ("id", .string(id.hex)), ("status", .string(status.rawValue)), ("sessions", .integer(UInt64(sessions))),
    ]
    if let seenAt { members.append(("seen", .time(seenAt))) }
    if let acceptedAt { members.append(("accepted_at", .time(acceptedAt))) }
    if let slot { members.append(("slot", .integer(UInt64(slot)))) }
    return members
  }

  /// The first digits of its id, in two groups.
  var shortID: String { Array(id.prefix(2)).hex + " " + Array(id.dropFirst(2).prefix(2)).hex }

  /// For eyes.
  fileprivate var text: String {
    let seen = seenAt.map { ", published \(LocalTime.text($0))" } ?? ""
    return "\(shortID)  \(word)\(seen)"
  }

  var word: String {
    switch status {
    case .own: "this one"
    case .accepted: "accepted"
    case .provisional: "new, not vouched for"
    case .settled: "not vouched for"
    case .suspended: "held: gets nothing"
    case .removed: "removed"
    }
  }
}
