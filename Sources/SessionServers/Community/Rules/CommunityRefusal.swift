import SessionHTTP

/// Why a request is not carried out: a status, and a sentence that never repeats what was sent.
struct CommunityRefusal: Error, Hashable, Sendable {
  let status: Int
  let text: String
  /// Seconds until it makes sense to ask again.
  var retryAfter: Int64?

  init(_ status: Int, _ text: String, retryAfter: Int64? = nil) {
    (self.status, self.text, self.retryAfter) = (status, text, retryAfter)
  }

  static func invalid(_ text: String) -> CommunityRefusal { CommunityRefusal(400, text) }
  static func forbidden(_ text: String) -> CommunityRefusal { CommunityRefusal(403, text) }
  static let unsigned = CommunityRefusal(401, "This request must be signed")
  static let noRoom = CommunityRefusal(404, "No such room")
  static let noMessage = CommunityRefusal(404, "No such message")
  static let notFound = CommunityRefusal(404, "Not found")
  static let noPicture = CommunityRefusal(406, "The image is not a usable picture of this room")
  static let full = CommunityRefusal(507, "There is no room for more files")
  static let tooManyDownloads = CommunityRefusal(503, "Too many downloads", retryAfter: 10)
  static let banned = CommunityRefusal(403, "Banned")
  static let reusedNonce = CommunityRefusal(
    425, "Invalid authentication: X-SOGS-Nonce cannot be reused")
}

extension CommunityRefusal {
  /// The sentence for a refusal that no handler has made.
  init(_ refusal: ServerRefusal) {
    let text =
      switch refusal.status {
      case 400: "Bad request"
      case 404: "Not found"
      case 405: "Method not allowed"
      case 413: "Too large"
      case 503: "Busy, try again later"
      default: "Failed"
      }
    self.init(refusal.status, text)
  }
}
