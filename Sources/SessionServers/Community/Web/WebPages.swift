import SessionBase
import SessionCore

/// The pages that a server shows to people without a client. Everything that came from others goes through `HTMLText`.
struct WebPages: Sendable {
  struct Room: Sendable {
    let token, name: String
    let description: String?
    let activeUsers: Int64
    let imageID: Int64?
    let link: String
  }

  struct Post: Sendable {
    let author: String
    let postedAt: Int64
    let content: PostedText?
    let reactions: [(emoji: String, count: Int64)]
  }

  static let headers: [(String, String)] = [
    ("Content-Type", "text/html; charset=utf-8"),
    (
      "Content-Security-Policy",
      "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "max-age=5"),
  ]

  /// The list of rooms.
  static func index(_ rooms: [Room]) -> String {
    let items = rooms.map { room in
      let link = "<a href=\"/r/\(room.token)/\">\(HTMLText.shown(room.name, limit: HTMLText.maxName))</a>"
      let about = room.description.map { "<p>\(HTMLText.shown($0))</p>" } ?? ""
      return "<li>\(image(of: room))\(link) \(active(room))\(about)</li>"
    }
    return page("Rooms", "<h1>Rooms</h1><ul class=\"rooms\">\(items.joined())</ul>")
  }

  /// The page of a room, with its newest messages if they are shown.
  static func room(_ room: Room, posts: [Post]?) -> String {
    let link = room.link.escapedHTML
    let about = room.description.map { "<p class=\"about\">\(HTMLText.shown($0))</p>" } ?? ""
    let recent = posts.map {
      "<h2>Newest messages</h2><div id=\"recent\" data-source=\"/r/\(room.token)/recent.html\">\(list($0))</div>"
    }
    return page(
      HTMLText.cleaned(room.name, limit: HTMLText.maxName),
      """
      \(image(of: room))<h1>\(HTMLText.shown(room.name, limit: 100))</h1>\(active(room))\(about)
      <h2>How to join</h2>
      <p>Install a messenger that speaks the Session protocol. Then join a community there with this link, or scan its \
      code.</p>
      <code id="link">\(link)</code>
      <button id="copy" hidden>Copy the link</button>
      <p><img class="invite" src="/r/\(room.token)/invite.svg" alt="QR code of the link" width="240" height="240"></p>
      \(recent ?? "")<script src="/static/room.js" defer></script>
      """)
  }

  /// The newest messages alone, which the page fetches again.
  static func recent(_ posts: [Post]) -> String {
    "<!DOCTYPE html><html lang=\"en\"><head><title>Newest messages</title></head><body>\(list(posts))</body></html>"
  }

  static let notFound = page(
    "Not found", "<h1>Not found</h1><p>There is no such room, or it is not public.</p>")

  private static func list(_ posts: [Post]) -> String {
    "<ol class=\"posts\">\(posts.map(item).joined())</ol>"
  }

  private static func item(_ post: Post) -> String {
    let name =
      post.content?.name.flatMap { $0.isEmpty ? nil : $0 }
      ?? "\(post.author.prefix(4))…\(post.author.suffix(4))"
    let files = (post.content?.fileNames ?? []).map { name in
      "<li>\(HTMLText.shown(name.isEmpty ? "file" : name, limit: HTMLText.maxName))</li>"
    }
    let reactions = post.reactions.map { "<li>\(HTMLText.shown($0.emoji, limit: 12)) \($0.count)</li>" }
    let text =
      post.content.map { $0.text.isEmpty ? "" : "<p>\(HTMLText.shown($0.text))</p>" }
      ?? "<p><i>not a text</i></p>"
    return
      "<li><b>\(HTMLText.shown(name, limit: HTMLText.maxName))</b> <time>\(time(post.postedAt))</time>\(text)"
      + lines("files", files) + lines("reactions", reactions) + "</li>"
  }

  private static func lines(_ kind: String, _ items: [String]) -> String {
    items.isEmpty ? "" : "<ul class=\"\(kind)\">\(items.joined())</ul>"
  }

  private static func time(_ milliseconds: Int64) -> String { HTTPDate.text(UInt64(clamping: milliseconds)) }

  private static func active(_ room: Room) -> String { "<small>\(room.activeUsers) active</small>" }

  private static func image(of room: Room) -> String {
    guard let id = room.imageID else { return "" }
    return "<img class=\"room\" src=\"/room/\(room.token)/file/\(id)\" alt=\"\" width=\"64\" height=\"64\">"
  }

  /// `title` is cleaned, and `body` is markup.
  private static func page(_ title: String, _ body: String) -> String {
    """
    <!DOCTYPE html><html lang="en"><head><meta charset="utf-8">\
    <meta name="viewport" content="width=device-width,initial-scale=1"><title>\(title.escapedHTML)</title>\
    <link rel="stylesheet" href="/static/room.css"></head><body><main>\(body)</main></body></html>
    """
  }

  static let style = """
    :root{color-scheme:light dark}*{box-sizing:border-box}
    body{font:1rem/1.5 system-ui,sans-serif;margin:0;color:#111;background:#fff;overflow-wrap:anywhere}
    main{max-width:44rem;margin:0 auto;padding:1rem}
    h1{font-size:1.75rem;line-height:1.25;margin:.5rem 0}h2{font-size:1.25rem;margin:2rem 0 .5rem;clear:both}
    ul,ol{margin:0;padding:0;list-style:none}p{margin:.25rem 0;white-space:pre-wrap}
    small,time{color:#595959;font-size:.875rem}
    code{display:block;font:.875rem/1.5 monospace;background:#f2f2f2;border-radius:.25rem;padding:.5rem}
    button{font:inherit;margin:.5rem 0;padding:.25rem .75rem}.invite{max-width:100%;height:auto}
    .rooms>li,.posts>li{display:flow-root;padding:.75rem 0;border-top:1px solid #ddd}
    .files,.reactions{display:flex;flex-wrap:wrap;gap:.5rem;margin:.5rem 0 0}
    .files li,.reactions li{border:1px solid #ccc;border-radius:1rem;padding:0 .75rem;font-size:.875rem}
    .files li::before{content:"File: "}
    .room{float:left;width:4rem;height:4rem;object-fit:cover;border-radius:.5rem;margin:0 1rem .5rem 0}
    @media(prefers-color-scheme:dark){
    body{color:#eee;background:#111}small,time{color:#b3b3b3}a{color:#8cf}code{background:#222}
    .rooms>li,.posts>li{border-color:#333}.files li,.reactions li{border-color:#444}
    }
    """

  static let script = """
    "use strict";
    const copy = document.getElementById("copy"), link = document.getElementById("link");
    if (copy && navigator.clipboard) {
      copy.hidden = false;
      copy.addEventListener("click", async () => {
        await navigator.clipboard.writeText(link.textContent);
        copy.textContent = "Copied";
      });
    }
    const recent = document.getElementById("recent");
    async function refresh() {
      if (document.hidden) return;
      const reply = await fetch(recent.dataset.source);
      if (!reply.ok) return;
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      recent.replaceChildren(...page.body.children);
    }
    if (recent) setInterval(() => refresh().catch(() => {}), 15000);
    """
}
