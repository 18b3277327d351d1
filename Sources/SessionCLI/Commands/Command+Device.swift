import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let deviceList = Command(
    name: "device list",
    summary: "list the devices of the account that take part in forward secrecy",
    discussion: """
      A device that is not linked gets no copies of messages, and cannot vouch for others. If you do not know it, somebody has
      your recovery phrase.
      """,
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let devices = try await messenger.ownSecurity().devices.filter { $0.status != .removed }
      guard !invocation.has("json") else { return CommandOutput(lines: devices.map(\.json)) }
      guard !devices.isEmpty else {
        return CommandOutput(notes: ["Forward secrecy is off. To switch it on, run: session security enable"])
      }
      var table = TextTable(head: ["", "device", "state", "published", "linked", "id"])
      table.rows = devices.map { device in
        [
          device.status == .own ? "*" : "", device.shortID, device.ownWord,
          device.seenAt.map { LocalTime.text($0) } ?? "never",
          device.acceptedAt.map { LocalTime.text($0) } ?? "no", device.id.hex,
        ]
      }
      return CommandOutput(data: table.parts)
    }
  }

  static let deviceLink = Command(
    name: "device link",
    summary: "link another device of the account",
    discussion: """
      Run it on both devices, each with the id that 'session device list' shows on the screen of the other one for itself.
      From then on they send each other copies, and vouch for each other. The whole id is needed: somebody who has the
      recovery phrase could make a device with the same first digits.
      """,
    arguments: [.init(name: "ID", summary: "the whole id of the other device, read from its own screen")],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    let id = try invocation.deviceID()
    return try await invocation.changing(io) { messenger in
      try await messenger.linkDevice(id)
      return CommandOutput()
    }
  }

  static let deviceRemove = Command(
    name: "device remove",
    summary: "remove another device of the account for ever",
    discussion: """
      It gets no messages with forward secrecy any more once contacts have fetched the new keys, within two days. It keeps
      what it has and the recovery phrase: if it was stolen, only a new account shuts it out of everything else.
      """,
    arguments: [.init(name: "DEVICE", summary: "the beginning of its id, as 'session device list' shows it")],
    options: [.init(name: "yes", summary: "confirm that it cannot come back"), .timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    guard invocation.has("yes") else {
      throw CommandFailure.usage(
        "a removed device cannot come back under the same identity", advice: "--yes removes it.")
    }
    return try await invocation.changing(io) { messenger in
      let device = try await messenger.ownSecurity().devices.device(invocation.arguments[0])
      guard device.status != .own else {
        throw invocation.misuse("this is the device itself: 'session security disable' takes its keys back")
      }
      try await messenger.removeDevice(device.id)
      return CommandOutput()
    }
  }

  static let deviceRenew = Command(
    name: "device renew",
    summary: "give this device new keys, after its account was copied or restored",
    discussion: """
      Contacts see a new device, and this one forgets its sessions. They may send to the old one as well until it has been
      silent for a month: where it is in strange hands, ask those whom you have verified to compare numbers again.
      """,
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.changing(io) { messenger in
      try await messenger.renewDevice()
      return CommandOutput()
    }
  }
}

extension Invocation {
  fileprivate func deviceID() throws(CommandFailure) -> [UInt8] {
    let text = arguments[0].filter { $0 != " " }
    guard text.count == 64, let id = try? [UInt8](hex: text.utf8) else {
      throw misuse("the whole id of a device has 64 hexadecimal digits")
    }
    return id
  }
}

extension DeviceView {
  /// How far one of our own devices is trusted.
  fileprivate var ownWord: String {
    switch status {
    case .own: "this one"
    case .accepted: "linked"
    case .provisional, .settled, .suspended: "not linked"
    case .removed: "removed"
    }
  }
}
