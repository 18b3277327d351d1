import SessionBase
import SessionCore
import SessionHTTP
import SessionMessaging
import Synchronization

/// Adds previews of links to messages, as the settings say.
struct LinkPreviews: Sendable {
  let io: CommandIO
  /// What the command says of this message; nil for what the account's setting says.
  var wanted: Bool?
  /// True if the person at the terminal can be asked.
  var isInteractive = false

  /// Returns the text with the preview of its first link. Without one it is returned as it is: a site that does not reply
  /// keeps no message from being sent. Tells why there is no preview.
  func adding(
    to text: OutgoingText, in conversation: Conversation.ID, _ messenger: Messenger
  ) async throws -> OutgoingText {
    guard text.preview == nil, wanted != false else { return text }
    let use = wanted == true ? LinkPreviewUse.on : try await messenger.settings().linkPreviews
    guard use != .off else { return text }
    guard let link = LinkInText.first(in: text.body) else {
      if wanted == true { io.tell("The text has no link that can have a preview.") }
      return text
    }
    if use == .ask {
      guard isInteractive, try await io.confirm(Self.question(about: link)) == true else { return text }
    }
    var text = text
    text.preview = await preview(of: link, in: conversation)
    return text
  }

  /// The question before a site is asked.
  static func question(about link: String) -> String {
    let host = (try? PageURL(parsing: link))?.host ?? link
    return "Ask \(DisplayText.line(host)) for a preview? It then sees the address of this machine. [y/N] "
  }

  /// What a line says to that question; nil if it is no answer.
  static func answer(_ line: String) -> Bool? {
    switch line.lowercased() {
    case "y", "yes": true
    case "n", "no", "": false
    default: nil
    }
  }

  /// Makes the preview of a link; nil if there is none, with a note why.
  func preview(of link: String, in conversation: Conversation.ID) async -> OutgoingText.Preview? {
    do {
      if let known = io.previews[link] { return known.fitting(conversation) }
      let preview = try await LinkPreviewer(try io.siteAccess()).preview(of: link)
      io.previews[link] = preview
      return preview.fitting(conversation)
    } catch {
      let reason = (error as? LinkPreviewer.Failure)?.reason ?? CommandFailure(error).message
      io.tell("The link has no preview: \(DisplayText.line(reason))")
      return nil
    }
  }
}

extension OutgoingText.Preview {
  /// Without the image where the recipient takes no files.
  fileprivate func fitting(_ conversation: Conversation.ID) -> OutgoingText.Preview {
    guard case .person(let person) = conversation, person.isBlinded else { return self }
    return OutgoingText.Preview(url: url, title: title, isMade: isMade)
  }
}

/// The previews of the last minutes, in memory.
final class LinkPreviewCache: Sendable {
  private static let lifetime = Duration.seconds(600)
  private static let maxPreviews = 32

  private let kept = Mutex<[String: (preview: OutgoingText.Preview, until: ContinuousClock.Instant)]>([:])

  subscript(link: String) -> OutgoingText.Preview? {
    get { kept.withLock { kept in kept[link].flatMap { $0.until > .now ? $0.preview : nil } } }
    set {
      kept.withLock { kept in
        kept = kept.filter { $0.value.until > .now }
        if kept.count >= Self.maxPreviews, let oldest = kept.min(by: { $0.value.until < $1.value.until }) {
          kept[oldest.key] = nil
        }
        kept[link] = newValue.map { ($0, .now + Self.lifetime) }
      }
    }
  }
}
