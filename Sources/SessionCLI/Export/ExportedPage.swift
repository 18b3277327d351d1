import SessionBase
import SessionMessaging

/// A page for browsers, which needs no network and runs no script.
struct ExportedPage: ExportWriter {
  /// The messages of a page.
  static let messagesTogether = 5000

  let head: ExportHead
  /// From one.
  let number: Int
  /// True if another page follows.
  var hasNext = false

  /// The name of the file of a page.
  static func name(_ number: Int) -> String { number == 1 ? "index.html" : "page-\(number).html" }

  /// Nothing but pictures, sound and films next to the page is loaded, and no script runs.
  static let policy = """
    default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; \
    base-uri 'none'; form-action 'none'
    """

  static let style = """
    body{font:16px/1.5 sans-serif;margin:0 auto;max-width:46em;padding:1em;color:#222;background:#fff}
    article{margin:.8em 0;padding:.5em .8em;background:#f2f2f2;border-radius:.6em;overflow-wrap:anywhere}
    article.own{background:#e2f3e6;margin-left:3em}
    h2{font-size:1em;margin:0}time{color:#666;font-size:.85em;font-weight:normal}
    p{margin:.2em 0;white-space:pre-wrap}blockquote{margin:.2em 0;padding-left:.6em;border-left:3px solid #aaa}
    img,video{max-width:100%;max-height:30em}nav{margin:1em 0}
    @media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}article{background:#262626}
    article.own{background:#1f3325}time{color:#999}a{color:#8bf}}
    """

  /// The beginning of any page.
  static func beginning(_ title: String) -> String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy)">
    <meta name="referrer" content="no-referrer">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title.escapedHTML)</title>
    <style>\(style)</style></head><body>
    <h1 dir="auto">\(title.escapedHTML)</h1>

    """
  }

  static let ending = "</body></html>\n"

  func begin() -> String {
    let created = "<p>Exported \(LocalTime.text(head.created)).</p>\n"
    return Self.beginning(head.name) + created + navigation
  }

  func end() -> String { navigation + Self.ending }

  private var navigation: String {
    var links: [String] = []
    if number > 1 { links.append("<a href=\"\(Self.name(number - 1))\">Earlier</a>") }
    if hasNext { links.append("<a href=\"\(Self.name(number + 1))\">Later</a>") }
    return links.isEmpty ? "" : "<nav>\(links.joined(separator: " · "))</nav>\n"
  }

  func text(of exported: ExportedMessage) -> String {
    let message = exported.message
    let author = DisplayText.line(head.directory.name(message.author)).escapedHTML
    var html = """
      <article id="m\(message.id.rawValue)"\(message.isOutgoing ? " class=\"own\"" : "")>\
      <h2><bdi>\(author)</bdi> <time>\(LocalTime.text(message.sentAt))</time>\
      \(message.editedAt == nil ? "" : " <time>(edited)</time>")</h2>

      """
    if let quoted = message.quoted {
      let text = quoted.body.map { DisplayText.fitted(DisplayText.line($0), to: 200) } ?? "(not here)"
      html += "<blockquote dir=\"auto\">\(text.escapedHTML)</blockquote>\n"
    }
    let text = message.exportedText(head.directory)
    if !text.isEmpty { html += "<p dir=\"auto\">\(Self.linked(text))</p>\n" }
    if message.kind == .message {
      for file in message.numberedAttachments { html += Self.figure(file, at: exported.paths[file.number]) }
    }
    if !message.reactions.isEmpty {
      let shown = message.reactions.map { reaction in
        DisplayText.line(reaction.emoji) + " " + DisplayText.line(head.directory.name(reaction.author))
      }
      html += "<p><bdi>\(shown.joined(separator: ", ").escapedHTML)</bdi></p>\n"
    }
    return html + "</article>\n"
  }

  /// A text in which addresses of pages are links.
  static func linked(_ text: String) -> String {
    var html = ""
    let scalars = text.unicodeScalars
    var (begin, place) = (scalars.startIndex, scalars.startIndex)
    while place < scalars.endIndex {
      guard let scheme = schemes.first(where: { scalars[place...].starts(with: $0.unicodeScalars) }) else {
        scalars.formIndex(after: &place)
        continue
      }
      var address = scalars[place...].prefix { !$0.properties.isWhitespace && !stops.contains($0) }
      while let last = address.last, endings.contains(last) { address.removeLast() }
      guard address.count > scheme.unicodeScalars.count else {
        scalars.formIndex(after: &place)
        continue
      }
      let shown = String(address).escapedHTML
      html += String(scalars[begin..<place]).escapedHTML
      html += "<a href=\"\(shown)\" rel=\"noreferrer\">\(shown)</a>"
      (begin, place) = (address.endIndex, address.endIndex)
    }
    return html + String(scalars[begin...]).escapedHTML
  }

  private static let schemes = ["https://", "http://"]
  /// What no address contains.
  private static let stops = Set("<>\"'`\u{FFFD}".unicodeScalars)
  /// What ends a sentence, and not an address.
  private static let endings = Set(".,;:!?)".unicodeScalars)

  private static func figure(_ file: NumberedAttachment, at path: String?) -> String {
    let name = DisplayText.line(file.file.name ?? "file").escapedHTML
    let caption = file.file.caption.map { "<p dir=\"auto\">\(DisplayText.lines($0).escapedHTML)</p>\n" } ?? ""
    guard let path else {
      return "<p>[<bdi>\(name)</bdi>, \(ByteCount.text(file.file.size))]</p>\n" + caption
    }
    let address = path.split(separator: "/").map { ExportedName.escaped(String($0)) }.joined(separator: "/")
    let link = "<p><a href=\"\(address)\"><bdi>\(name)</bdi></a>, \(ByteCount.text(file.file.size))</p>\n"
    let type = file.file.contentType.lowercased()
    switch type {
    case "image/jpeg", "image/png", "image/gif", "image/webp":
      return "<img src=\"\(address)\" alt=\"\" loading=\"lazy\">\n" + link + caption
    case _ where type.hasPrefix("video/"):
      return "<video controls src=\"\(address)\"></video>\n" + link + caption
    case _ where type.hasPrefix("audio/"):
      return "<audio controls src=\"\(address)\"></audio>\n" + link + caption
    default: return link + caption
    }
  }
}
