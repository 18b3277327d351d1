import FoundationEssentials
import SessionCore

extension AttachmentPointer {
  /// The pointer as a program hands it on. It opens the file, so it is a secret.
  var json: JSONObject {
    let format = JSONObject.Value.string(format.rawValue)
    let key = JSONObject.Value.string(key.reveal().hex)
    guard !digest.isEmpty else { return ["format": format, "key": key, "size": .integer(size)] }
    return ["format": format, "key": key, "digest": .string(digest.hex), "size": .integer(size)]
  }

  init(json: [UInt8]) throws(CommandFailure) {
    struct Form: Decodable {
      let v: Int
      let format: AttachmentFormat
      let key: String
      let digest: String?
      let size: UInt64
    }
    do {
      let form = try JSONDecoder().decode(Form.self, from: Data(json))
      guard form.v == 1 else {
        throw CommandFailure.data(
          "the pointer has version \(form.v); this program reads version 1", advice: "Update session.")
      }
      self.init(
        format: form.format,
        key: try SecretBytes(copying: [UInt8](hex: form.key.utf8)),
        digest: try [UInt8](hex: (form.digest ?? "").utf8),
        size: form.size)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw .data(
        "this is not a pointer to a sealed file",
        advice: "Give the line that 'session attachment seal' wrote.")
    }
  }
}
