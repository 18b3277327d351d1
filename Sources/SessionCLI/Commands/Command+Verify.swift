import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let verifyShow = Command(
    name: "verify show",
    summary: "show the safety number to compare with a person",
    discussion: """
      The number covers both accounts and the devices of each that take part in forward secrecy. If both of you see the same
      60 digits, no one is between you. Compare it over another way than this one: in person, or by telephone.

      Where it is not certain which devices belong to the person, there is one number for each possibility; the program of the
      person shows one of them.
      """,
    arguments: [.contact],
    options: [
      .init(name: "qr", summary: "draw the code that 'verify confirm --scan' takes as a QR code, too"),
      .init(name: "digits", summary: "print only the 60 digits"),
      .init(name: "offline", summary: "do not look up the devices of the person first"),
      .timeout, .account, .json,
    ],
    examples: [
      .init(line: "session verify show bob", summary: "show the number, to compare it by telephone"),
      .init(line: "session verify show bob --qr", summary: "show the code that a camera can read"),
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let view = try await invocation.compared(io) { messenger, person in
      (try await messenger.safetyNumber(with: person), try await Directory(of: messenger).name(person))
    }
    let (number, name) = view
    guard !invocation.has("json") else { return CommandOutput(json: number.json) }
    guard let first = number.candidates.first?.number else {
      throw CommandFailure(
        status: .temporary, message: "no device of \(name) is known well enough to compare",
        advice: "Repeat it once the network can be reached.")
    }
    if invocation.has("digits") {
      return CommandOutput(text: number.candidates.map { $0.number.digits + "\n" }.joined())
    }
    var output = CommandOutput(text: number.text(name: name))
    if number.isVerifiedElsewhere {
      output.notes.append("You verified \(name) on another device, which knows other devices of theirs.")
    }
    if invocation.has("qr") { output.data.append(.text("\n" + (try QRCode(first.code).text))) }
    return output
  }

  static let verifyConfirm = Command(
    name: "verify confirm",
    summary: "record that a person sees the same safety number",
    discussion: """
      Give what the person reads to you with --number, the text of their code with --scan, or --yes if you have compared the
      digits yourself. The devices that the number covers get your messages from now on, and no others. A note says when
      the person adds one.
      """,
    arguments: [.contact],
    options: [
      .init(name: "number", value: "DIGITS", summary: "the 60 digits that the person sees"),
      .init(name: "scan", value: "TEXT", summary: "the text of the code that the person shows"),
      .init(name: "yes", summary: "confirm that the person sees the digits of 'verify show'"),
      .init(
        name: "devices", value: "ID",
        summary: "with --yes and several numbers: the beginning of a device that the right one covers",
        isRepeated: true),
      .timeout, .account,
    ],
    examples: [
      .init(line: "session verify confirm bob --yes", summary: "record that you have compared the digits")
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    guard
      [invocation["number"], invocation["scan"]].compactMap(\.self).count + (invocation.has("yes") ? 1 : 0)
        == 1
    else { throw invocation.misuse("give one of --number, --scan and --yes") }
    return try await invocation.changing(io) { messenger in
      let directory = try await Directory(of: messenger)
      let person = try invocation.comparable(directory.person(invocation.arguments[0], io), directory)
      let view = try await messenger.safetyNumber(with: person)
      let name = directory.name(person)
      let (candidate, method) = try invocation.confirmed(among: view, name)
      try await messenger.confirm(candidate, of: person, by: method)
      return CommandOutput(notes: ["\(name) is verified."])
    }
  }

  static let verifyAccept = Command(
    name: "verify accept",
    summary: "go on with a person who has changed, without comparing numbers",
    arguments: [.contact],
    options: [
      .init(name: "event", value: "CURSOR", summary: "accept only what this event told, and nothing newer"),
      .init(
        name: "devices", value: "ID",
        summary: "the beginning of a device to accept; needed where they disagree",
        isRepeated: true), .timeout, .account,
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    let event = try invocation.cursor()
    return try await invocation.changing(io) { messenger in
      let directory = try await Directory(of: messenger)
      let person = try invocation.comparable(directory.person(invocation.arguments[0], io), directory)
      let known = try await messenger.security(of: person).devices
      let chosen = try invocation.all("devices").map { try known.device($0).id }
      try await messenger.acceptChange(of: person, devices: chosen.isEmpty ? nil : chosen, upTo: event)
      return CommandOutput()
    }
  }

  static let verifyClear = Command(
    name: "verify clear",
    summary: "forget that numbers were compared with a person",
    arguments: [.contact],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.changing(io) { messenger in
      let directory = try await Directory(of: messenger)
      let person = try invocation.comparable(directory.person(invocation.arguments[0], io), directory)
      try await messenger.clearVerification(of: person)
      return CommandOutput()
    }
  }

  static let verifyList = Command(
    name: "verify list",
    summary: "list the people whose safety numbers were compared",
    discussion: """
      Linked devices tell each other whom you have verified. A device takes that over if it knows the same devices of the
      person; until then the list says 'on another device', and messages go as to everybody else.
      """,
    options: [
      .init(name: "changed", summary: "only those who have changed since"), .account, .json,
    ],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let directory = try await Directory(of: messenger)
      let people = try await messenger.verifiedPeople().filter { person in
        !invocation.has("changed") || person.state == .changed
      }
      guard !invocation.has("json") else { return CommandOutput(lines: people.map(\.json)) }
      guard !people.isEmpty else { return CommandOutput(notes: ["No numbers were compared."]) }
      var table = TextTable(head: ["name", "state", "compared", "id"])
      table.rows = people.map { person in
        [
          directory.name(person.person), person.word,
          person.verifiedAt.map { LocalTime.text($0) } ?? "never", person.person.description,
        ]
      }
      return CommandOutput(data: table.parts)
    }
  }
}

extension Invocation {
  /// Reads something about the person of the first argument, after looking up their devices unless `--offline` is given.
  fileprivate func compared<R: Sendable>(
    _ io: CommandIO, _ body: @escaping @Sendable (Messenger, SessionID) async throws -> R
  ) async throws -> R {
    @Sendable func read(_ messenger: Messenger, isOnline: Bool) async throws -> R {
      let directory = try await Directory(of: messenger)
      let person = try comparable(directory.person(arguments[0], io), directory)
      if isOnline { try await messenger.lookUpDevices(of: person) }
      return try await body(messenger, person)
    }
    guard !has("offline") else {
      return try await reading(io) { messenger in try await read(messenger, isOnline: false) }
    }
    return try await working(io) { opened in try await read(opened.messenger, isOnline: true) }
  }

  /// Returns a person whose number can be compared.
  fileprivate func comparable(_ person: SessionID, _ directory: Directory) throws(CommandFailure) -> SessionID
  {
    guard person != directory.own else {
      throw misuse("this is your own account: numbers are compared with other people")
    }
    guard person.kind == .standard else {
      throw misuse("numbers are compared with people under their account ids, and not in communities")
    }
    return person
  }

  fileprivate func confirmed(
    among view: SafetyNumberView, _ name: String
  ) throws -> (SafetyNumberView.Candidate, VerificationMethod) {
    if let typed = self["number"] {
      guard let equal = try view.candidates.first(where: { try $0.number.fits(typed) }) else {
        throw CommandFailure.data("these are not your digits with \(name); nothing was changed")
      }
      return (equal, .number)
    }
    if let text = self["scan"] {
      let matches = try view.candidates.map { candidate in
        (candidate, try candidate.number.compare(codeText: text))
      }
      if let equal = matches.first(where: { $0.1 == .equal }) { return (equal.0, .code) }
      throw CommandFailure.data(matches.first?.1.text(name) ?? "no device of \(name) is known")
    }
    let chosen = all("devices")
    let fitting = view.candidates.filter { candidate in
      chosen.allSatisfy { prefix in candidate.devices.contains { $0.hex.hasPrefix(prefix.lowercased()) } }
    }
    guard let only = fitting.first else {
      throw CommandFailure.data("no number of \(name) covers these devices")
    }
    guard fitting.count == 1 else {
      let sets = fitting.map { $0.devices.map { Array($0.prefix(4)).hex }.joined(separator: " ") }
      throw misuse(
        "there are several numbers; say with --devices which one: \(sets.joined(separator: ", or "))")
    }
    return (only, .word)
  }

  fileprivate func cursor() throws(CommandFailure) -> MessengerEvent.Cursor? {
    guard let text = self["event"] else { return nil }
    guard let number = Int64(text), number > 0 else {
      throw misuse("--event takes the cursor of an event, as 'session receive --json' shows it")
    }
    return MessengerEvent.Cursor(rawValue: number)
  }
}

extension SafetyNumber {
  /// False for other digits; throws for what is no number at all.
  fileprivate func fits(_ typed: String) throws(SessionError) -> Bool {
    do {
      try check(typed)
      return true
    } catch {
      guard error.code == .safetyNumber else { throw error }
      return false
    }
  }
}

extension SafetyNumber.Match {
  /// Why a code does not fit.
  fileprivate func text(_ name: String) -> String {
    switch self {
    case .equal: "the codes are equal"
    case .otherDevicesTheirs: "this is \(name), with other devices than are known here; nothing was changed"
    case .otherDevicesOwn: "\(name) knows other devices of yours than this account has; nothing was changed"
    case .otherDevicesBoth: "both sides know other devices of each other; nothing was changed"
    case .accountsEqual:
      "this code is of an older form, which says nothing about devices; nothing was changed"
    case .otherPerson: "this is the code of somebody else, and not of \(name); nothing was changed"
    case .ownCode: "this is the code that you show yourself: \(name) has to show theirs"
    }
  }
}

extension SafetyNumberView {
  fileprivate var json: JSONObject {
    let first = candidates.first
    var object: JSONObject = [
      "type": .string("safety-number"), "person": .string(person.description),
      "state": .string(state.rawValue),
      "digits": .string(first?.number.digits ?? ""), "code": .string(first?.number.codeText ?? ""),
      "own_devices": .integer(UInt64(ownDevices)),
      "candidates": .objects(
        candidates.map { candidate in
          JSONObject(members: [
            ("digits", .string(candidate.number.digits)), ("code", .string(candidate.number.codeText)),
            ("devices", .strings(candidate.devices.map(\.hex))),
          ])
        }),
    ]
    object["verified_at"] = verifiedAt.map { .time($0) }
    if isVerifiedElsewhere { object["elsewhere"] = .boolean(true) }
    object["cause"] = cause.map { .string($0) }
    object["age_ms"] = age.map { .integer(UInt64($0)) }
    return object
  }

  /// For eyes.
  fileprivate func text(name: String) -> String {
    var text = ""
    for candidate in candidates {
      let (theirs, ours) = (candidate.devices.count, ownDevices)
      text +=
        "Your safety number with \(name) (\(theirs) \(theirs == 1 ? "device" : "devices") of theirs, \(ours) of yours)"
      if candidates.count > 1 {
        text +=
          " if these are theirs: " + candidate.devices.map { Array($0.prefix(4)).hex }.joined(separator: " ")
      }
      let groups = candidate.number.digits.groups(of: 5)
      text += ":\n\n"
      for line in stride(from: 0, to: groups.count, by: 4) {
        text += "  " + groups[line..<min(line + 4, groups.count)].joined(separator: " ") + "\n"
      }
      text += "\n"
    }
    return text + """
      Compare it with \(name) over another way than this one: in person, by telephone. If both see the same:
        session verify confirm \(person) --yes

      """
  }
}

extension String {
  /// The text in pieces of a length.
  fileprivate func groups(of count: Int) -> [String] {
    stride(from: 0, to: self.count, by: count).map { start in
      String(dropFirst(start).prefix(count))
    }
  }
}

extension VerifiedPerson {
  fileprivate var word: String {
    switch state {
    case .never: "on another device"
    case .verified: "verified"
    case .changed: isVerifiedElsewhere ? "changed; verified on another device" : "changed"
    }
  }

  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string("verification"), "person": .string(person.description),
      "state": .string(state.rawValue),
    ]
    if isVerifiedElsewhere { object["elsewhere"] = .boolean(true) }
    object["verified_at"] = verifiedAt.map { .time($0) }
    object["cause"] = cause.map { .string($0) }
    return object
  }
}

extension [DeviceView] {
  /// The device whose id begins with these digits.
  func device(_ text: String) throws(CommandFailure) -> DeviceView {
    let prefix = text.lowercased().filter { $0 != " " }
    let found = filter { !prefix.isEmpty && $0.id.hex.hasPrefix(prefix) }
    guard let only = found.first else {
      throw CommandFailure(status: .noUser, message: "there is no device \(DisplayText.line(text))")
    }
    guard found.count == 1 else {
      let names = found.map { device in device.id.prefix(8).hex }.joined(separator: ", ")
      throw CommandFailure.data("several devices begin with \(DisplayText.line(text)): \(names)")
    }
    return only
  }
}
