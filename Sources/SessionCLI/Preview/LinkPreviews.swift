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
  /// keeps no message from being sent. Tells why there is no preview. Throws `CancellationError` if the person interrupts
  /// the wait for the site: the message is then not wanted either.
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
      guard isInteractive else { return text }
      // One answer is for all recipients of a command.
      switch io.previews[link] {
      case .made?, .failed?: break
      case .refused?: return text
      case nil:
        let answer = try await io.confirm(Self.question(about: link))
        guard answer == true else {
          if answer == false { io.previews[link] = .refused }
          return text
        }
      }
    }
    var text = text
    text.preview = try await preview(of: link, in: conversation)
    return text
  }

  /// The question before a site is contacted.
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

  /// Makes the preview of a link; nil if there is none, with a note why. Throws `CancellationError`.
  func preview(of link: String, in conversation: Conversation.ID) async throws -> OutgoingText.Preview? {
    switch io.previews[link] {
    case .made(let known)?: return known.fitting(conversation)
    case .failed(let reason)?:
      tell(reason)
      return nil
    case .refused?, nil: break
    }
    do {
      let preview = try await LinkPreviewer(try io.siteAccess()).preview(of: link)
      try Task.checkCancellation()
      io.previews[link] = .made(preview)
      return preview.fitting(conversation)
    } catch {
      try Task.checkCancellation()
      let reason = (error as? LinkPreviewer.Failure)?.reason ?? CommandFailure(error).message
      tell(reason)
      io.previews[link] = .failed(reason)
      return nil
    }
  }

  private func tell(_ reason: String) {
    io.tell("The link has no preview: \(DisplayText.line(reason))")
  }
}

extension OutgoingText.Preview {
  /// Without the image where the recipient takes no files.
  fileprivate func fitting(_ conversation: Conversation.ID) -> OutgoingText.Preview {
    guard case .person(let person) = conversation, person.isBlinded else { return self }
    return OutgoingText.Preview(url: url, title: title, isMade: isMade)
  }
}

/// What became of the links of the last minutes, in memory.
final class LinkPreviewCache: Sendable {
  enum Outcome: Sendable {
    case made(OutgoingText.Preview)
    /// There is none, for this reason.
    case failed(String)
    /// The person does not want the site to be asked.
    case refused

    fileprivate var lifetime: Duration {
      switch self {
      case .made, .refused: .seconds(600)
      // The site may reply the next time that something is written.
      case .failed: .seconds(60)
      }
    }
  }

  private static let maxLinks = 32

  private let kept = Mutex<[String: (outcome: Outcome, until: ContinuousClock.Instant)]>([:])

  subscript(link: String) -> Outcome? {
    get { kept.withLock { kept in kept[link].flatMap { $0.until > .now ? $0.outcome : nil } } }
    set {
      kept.withLock { kept in
        kept = kept.filter { $0.value.until > .now }
        if kept.count >= Self.maxLinks, let oldest = kept.min(by: { $0.value.until < $1.value.until }) {
          kept[oldest.key] = nil
        }
        kept[link] = newValue.map { ($0, .now + $0.lifetime) }
      }
    }
  }
}
