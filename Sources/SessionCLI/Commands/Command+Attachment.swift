import SessionCore
import SessionMessaging

extension Command {
  static let attachmentSeal = Command(
    name: "attachment seal",
    summary: "encrypt a file for a message",
    discussion: """
      Writes the pointer to standard output, one line of JSON. It contains the key of the file: send it only inside a
      sealed message. The encrypted file appears when it is complete, and can be stored anywhere.
      """,
    arguments: [.init(name: "FILE", summary: "the file to encrypt")],
    options: [
      .init(
        name: "out", value: "SEALEDFILE", summary: "write the encrypted file to this new file",
        isRequired: true),
      .init(name: "format", value: "legacy|stream", summary: "legacy by default; stream needs --from"),
      .init(name: "from", value: "PHRASEFILE|-", summary: "the recovery phrase of the sender, for stream"),
      .init(name: "any-size", summary: "allow files above the usual server limit"),
    ],
    examples: [
      .init(
        line: "session attachment seal photo.jpg --out photo.sealed > photo.pointer",
        summary: "encrypt a picture")
    ],
    rpc: .none(.isLocal)
  ) { invocation, io in
    let sealing = try invocation.sealing(io)
    let pointer = try await cancelledBySignals {
      try await AttachmentFile.seal(invocation.arguments[0], to: invocation.required("out"), sealing)
    }
    return CommandOutput(json: pointer.json)
  }

  static let attachmentOpen = Command(
    name: "attachment open",
    summary: "decrypt a file with the pointer from a message",
    discussion: "The decrypted file appears only when it is complete and verified.",
    arguments: [.init(name: "SEALEDFILE", summary: "the encrypted file")],
    options: [
      .init(name: "pointer", value: "FILE|-", summary: "what 'attachment seal' wrote", isRequired: true),
      .init(
        name: "out", value: "FILE", summary: "write the decrypted file to this new file", isRequired: true),
    ],
    examples: [
      .init(
        line: "session attachment open photo.sealed --pointer photo.pointer --out photo.jpg",
        summary: "decrypt the picture")
    ],
    rpc: .none(.isLocal)
  ) { invocation, io in
    let pointer = try io.attachmentPointer(from: invocation.required("pointer"))
    try await cancelledBySignals {
      try await AttachmentFile.open(invocation.arguments[0], to: invocation.required("out"), with: pointer)
    }
    return CommandOutput()
  }
}

extension Invocation {
  fileprivate func sealing(_ io: CommandIO) throws(CommandFailure) -> AttachmentSealing {
    let sealing = try sealingOfUsualSize(io)
    return has("any-size") ? sealing.ofAnySize : sealing
  }

  private func sealingOfUsualSize(_ io: CommandIO) throws(CommandFailure) -> AttachmentSealing {
    switch (AttachmentFormat(rawValue: self["format"] ?? "legacy"), self["from"]) {
    case (.legacy, nil): return .legacy
    case (.stream, let path?): return .stream(by: try io.account(from: path))
    case (.legacy, _?):
      throw .usage(
        "\(command.name): --from is for --format stream", advice: "Leave --from out, or add --format stream.")
    case (.stream, nil):
      throw .usage(
        "\(command.name): --format stream needs --from PHRASEFILE", advice: "Usage: \(command.usage)")
    case (nil, _):
      throw .usage("\(command.name): --format is legacy or stream", advice: "Usage: \(command.usage)")
    }
  }
}
