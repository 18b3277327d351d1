import SessionMessaging

extension JSONForm {
  static let security: [JSONForm] = [
    conversationSecurity, ownSecurity, securityDevice, device, safetyNumber, safetyCandidate, verification,
  ]

  private static let conversationSecurity = JSONForm(
    name: "security", summary: "how messages to a person are protected", commands: ["security show"],
    members: [
      .type("security"), .required("conversation", .text, "the id of the person"),
      .required("policy", .word(["auto", "require"]), "require if messages need forward secrecy"),
      .required("devices", .objects("security device"), "the known devices of the person"),
      .required(
        "verified", .word(VerificationState.allCases.map(\.rawValue)), "yes if safety numbers were compared"),
      .optional(
        "level", .word(SecurityLevel.allCases.map(\.name)),
        "the protection of the next message; missing while it cannot be sent"),
      .optional(
        "because", .word(SecurityObstacle.allCases.map(\.rawValue)), "why that is not sr1"),
      .optional("healed_at", .time, "when a message came last that changed the keys"),
    ])

  private static let ownSecurity = JSONForm(
    name: "own security", summary: "the state of forward secrecy on this device", commands: ["security show"],
    members: [
      .type("own-security"),
      .required("setting", .word(ForwardSecrecy.allCases.map(\.rawValue)), "the setting forward-secrecy"),
      .required("closed", .boolean, "true if all devices of the account are said to take part"),
      .required("new_devices", .word(NewDevices.allCases.map(\.rawValue)), "the setting new-devices"),
      .required(
        "verification", .word(VerificationPolicy.allCases.map(\.rawValue)), "the setting verification"),
      .required("copied", .boolean, "true if the account was copied from another machine"),
      .required("devices", .objects("security device"), "the devices of the account"),
      .optional("published_at", .time, "when the keys of this device were published last"),
      .optional("rotated_at", .time, "when the newest keys were made"),
    ])

  private static let deviceMembers: [Member] = [
    .required("id", .text, "its id: 64 hexadecimal digits"),
    .required("status", .word(DeviceView.Status.allCases.map(\.rawValue)), "how far it is trusted"),
    .required("sessions", .number, "the number of sessions with it"),
    .optional("seen", .time, "when it published keys last"),
    .optional("accepted_at", .time, "when it was accepted or linked"),
    .optional("slot", .number, "the slot that has its keys"),
  ]

  private static let securityDevice = JSONForm(
    name: "security device", summary: "a device in another object", members: deviceMembers)

  private static let device = JSONForm(
    name: "device", summary: "a device of the account", commands: ["device list"],
    members: [.type("device")] + deviceMembers)

  private static let elsewhere = Member.optional(
    "elsewhere", .boolean,
    "true if another device of yours verified the person, and knows other devices of theirs")

  private static let safetyNumber = JSONForm(
    name: "safety number", summary: "the number to compare with a person", commands: ["verify show"],
    members: [
      .type("safety-number"), .required("person", .text, "the id of the person"),
      .required("state", .word(VerificationState.allCases.map(\.rawValue)), "yes if it was compared"),
      .required("digits", .text, "the 60 digits; empty if there is no number yet"),
      .required("code", .text, "the text of the code, for 'verify confirm --scan' of the other side"),
      .required("own_devices", .number, "the number of own devices that it covers"),
      .required("candidates", .objects("safety candidate"), "all numbers that the person may see"),
      .optional("verified_at", .time, "when it was compared"),
      elsewhere,
      .optional("cause", .text, "why it has changed: linked, new, disagree or weakened"),
      .optional("age_ms", .number, "how long ago the devices of the person were looked up"),
    ])

  private static let safetyCandidate = JSONForm(
    name: "safety candidate", summary: "one of several safety numbers",
    members: [
      .required("digits", .text, "the 60 digits"), .required("code", .text, "the text of the code"),
      .required("devices", .texts, "the devices of the person that it covers"),
    ])

  private static let verification = JSONForm(
    name: "verification", summary: "a person whose safety number was compared", commands: ["verify list"],
    members: [
      .type("verification"), .required("person", .text, "the id of the person"),
      .required(
        "state", .word(VerificationState.allCases.map(\.rawValue)),
        "changed if the person has other devices since; no if only another device of yours compared them"),
      elsewhere,
      .optional("verified_at", .time, "when the numbers were compared"),
      .optional("cause", .text, "why it has changed: linked, new, disagree or weakened"),
    ])
}
