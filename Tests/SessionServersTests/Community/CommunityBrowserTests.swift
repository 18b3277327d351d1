import Browsing
import Foundation
import SessionBase
import SessionCore
import Testing

@testable import SessionServers

/// The pages of rooms in a real browser. Without Chromium the tests are skipped.
@Suite(.enabled(if: Browser.path != nil, "Chromium is not installed"), .timeLimit(.minutes(10)))
struct CommunityBrowserTests {
  /// What marks a page in which a script of a stranger has run.
  private static let mark = "document.documentElement.dataset.owned=1"
  /// Texts that strangers write, and how they are shown; nil for as they are.
  private static let hostile: [(text: String, shown: String?)] = [
    ("<script>\(mark)</script>", nil), ("\"><img src=x onerror=\"\(mark)\">", nil),
    ("'><svg onload=\(mark)>", nil), ("</title><script>\(mark)</script>", nil),
    ("</bdi></p></li></ol></main><script>\(mark)</script>", nil), ("<!--", nil),
    ("--!><script>\(mark)</script>", nil),
    ("]]><script>\(mark)</script>", nil), ("javascript:\(mark)", nil),
    ("<a href=\"javascript:\(mark)\">x</a>", nil),
    ("<iframe srcdoc=\"<script>parent.\(mark)</script>\">", nil), ("<style>*{display:none}</style>", nil),
    ("<base href=\"//192.0.2.1/\">", nil), ("<link rel=stylesheet href=//192.0.2.1/x.css>", nil),
    ("<meta http-equiv=\"refresh\" content=\"0;url=//192.0.2.1/\">", nil),
    ("{{constructor.constructor('\(mark)')()}}", nil), ("&lt;script&gt;&amp;&#60;b", nil),
    ("שלום world", nil), ("👩‍👩‍👧 👍🏽", nil), ("a\tb\nc", nil), ("a\u{2028}b", "a\u{FFFD}b"),
    ("a\u{202E}b\u{2066}c", "a\u{FFFD}b\u{FFFD}c"), ("a\u{200D}b", "a\u{FFFD}b"), ("a\u{7F}b", "a\u{FFFD}b"),
    ("a" + String(repeating: "\u{0301}", count: 1000), "a" + String(repeating: "\u{0301}", count: 20)),
  ]

  /// Those of them that fit into a name, as a browser shows them there.
  private static let names = hostile.map { text in
    let shown = text.shown ?? text.text
    let scalars = shown.unicodeScalars.prefix(40)
    return (text: text.text, shown: String(scalars) + (text.text.unicodeScalars.count > 40 ? "…" : ""))
  }.filter { $0.text.utf8.count <= 100 }

  /// Opens a browser for a server with the room `lobby`, in which strangers may post often.
  private func withBrowser(_ body: (CommunitySite, DrivenBrowser, String) async throws -> Void) async throws {
    let browser = try #require(try DrivenBrowser())
    try await browser.openPage()
    try await withCommunity {
      $0.postLimit = .init(1000, within: 1)
    } body: { (site) async throws in
      try await body(site, browser, site.server.url)
    }
  }

  private func post(
    _ site: CommunitySite, _ member: Member, _ text: String, name: String? = nil, file: String? = nil
  ) async throws {
    site.clock.advance(.seconds(20))
    let time = try MessageTime(milliseconds: site.clock.now)
    let files = try file.map { name in
      let url = try FileURL(.http, host: "chat.example", room: "lobby", fileID: "1")
      return [try MessageAttachment(url: url, pointer: nil, fileName: name, size: 1)]
    }
    let message = try Message(
      .visible(VisibleMessage(body: text, attachments: files ?? [], profile: try MessageProfile(name: name))),
      sentAt: time)
    let data = try member.account.encode(message, for: .community)
    let answer = try await site.call(
      member, "POST", "/room/lobby/message", json: try member.post(data: data))
    try #require(answer.status == 201, "\(answer.text)")
  }

  /// Fails if a script of a stranger has run, the page asked anybody but the server, or something failed in it.
  private func expectNoHarm(
    _ browser: DrivenBrowser, from url: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let owned = try await browser.value(of: "document.documentElement.dataset.owned ?? null")
    #expect(owned == .null, sourceLocation: sourceLocation)
    for request in browser.events("Network.requestWillBeSent") {
      let asked = request["request"]?["url"]?.string ?? ""
      #expect(asked.hasPrefix(url + "/"), "\(asked)", sourceLocation: sourceLocation)
    }
    #expect(browser.events("Runtime.exceptionThrown").isEmpty, sourceLocation: sourceLocation)
    let errors = browser.events("Log.entryAdded").compactMap { $0["entry"] }
      .filter { $0["level"] == "error" && $0["source"] != "security" }
    #expect(errors.isEmpty, "\(errors)", sourceLocation: sourceLocation)
    let elements = try await browser.value(
      of:
        "document.querySelectorAll('script:not([src]),iframe,base,main svg,style,main a:not([href^=\"/r/\"])').length"
    )
    #expect(elements == 0, sourceLocation: sourceLocation)
  }

  private func texts(_ browser: DrivenBrowser, _ selector: String) async throws -> [String] {
    try await browser.value(
      of: "[...document.querySelectorAll(\(JSONText.quoted(selector)))].map(e => e.textContent)"
    ).elements.compactMap(\.string)
  }

  @Test(.timeLimit(.minutes(5))) func noScriptOfAStrangerRuns() async throws {
    try await withBrowser { (site, browser, url) async throws in
      // In a page that lets them, the browser runs them.
      try await browser.go(to: "data:text/html,<script>\(Self.mark)</script><p>control</p>")
      #expect(try await browser.value(of: "document.documentElement.dataset.owned") == "1")
      let (member, admin) = (try site.member(), try await site.admin())
      for text in Self.hostile { try await post(site, member, text.text, name: "me") }
      for name in Self.names { try await post(site, member, "x", name: name.text, file: name.text) }
      for emoji in ["<b>", "\"><i>", "&lt;", "👩‍👩‍👧"] {
        let answer = try await site.call(member, "PUT", "/room/lobby/reaction/1/\(emoji)", json: [:])
        #expect(answer.status == 200)
      }
      for text in Self.hostile where text.text.unicodeScalars.count <= 100 {
        let change: JSONValue = ["name": .string(text.text), "description": .string(text.text)]
        #expect(try await site.call(admin, "PUT", "/room/lobby", json: change).status == 200)
        let shown = (text.shown ?? text.text)
        for path in ["lobby", ""] {
          try await browser.go(to: "\(url)/\(path)")
          try await expectNoHarm(browser, from: url)
          let about = try await texts(browser, path == "" ? ".rooms p" : ".about")
          #expect(about == [shown], "\(path)")
        }
        let heading = try await texts(browser, ".rooms a")
        // Names have no control characters at all.
        let name = String(String.UnicodeScalarView(text.text.unicodeScalars.filter { $0.value >= 0x20 }))
        if name == text.text, text.shown == nil, name.unicodeScalars.count <= 40 {
          #expect(heading == [name])
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func textsAreShownAsTheyWereWritten() async throws {
    try await withBrowser { (site, browser, url) async throws in
      let member = try site.member()
      for text in Self.hostile { try await post(site, member, text.text, name: "me") }
      for path in ["lobby", "r/lobby/", "r/lobby/recent.html"] {
        try await browser.go(to: "\(url)/\(path)")
        try await expectNoHarm(browser, from: url)
        let shown = try await texts(browser, ".posts > li > p")
        #expect(shown == Self.hostile.reversed().map { $0.shown ?? $0.text }, "\(path)")
      }
      for emoji in ["<b>", "👩‍👩‍👧"] {
        _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/\(emoji)", json: [:])
      }
      for name in Self.names { try await post(site, member, "x", name: name.text, file: name.text) }
      try await browser.go(to: "\(url)/lobby")
      try await expectNoHarm(browser, from: url)
      let names = Self.names.reversed().map(\.shown)
      #expect(try await texts(browser, ".posts > li > b").prefix(names.count).elementsEqual(names))
      #expect(try await texts(browser, ".files > li").elementsEqual(names))
      try await browser.go(to: "\(url)/r/lobby/recent.html")
      #expect(try await texts(browser, ".posts > li:last-child .reactions li") != [])
      // The direction of a name moves nothing around it.
      #expect(
        try await browser.value(
          of: "[...document.querySelectorAll('.posts b,.posts p')].every(e => e.querySelector('bdi,i'))")
          == true)
    }
  }

  @Test(.timeLimit(.minutes(5))) func theCodeAndTheButtonLeadToTheRoom() async throws {
    try await withBrowser { (site, browser, url) async throws in
      let link = site.server.rules.link(to: "lobby")
      try await browser.go(to: "\(url)/lobby")
      let pictures = try await browser.value(
        of: """
          (async () => {
            const draw = async (source, scale) => {
              const image = new Image();
              image.src = source;
              await image.decode();
              const canvas = document.createElement("canvas"), size = scale || image.width / 8;
              canvas.width = canvas.height = size;
              const context = canvas.getContext("2d");
              context.imageSmoothingEnabled = false;
              context.drawImage(image, 0, 0, size, size);
              const points = context.getImageData(0, 0, size, size).data;
              const rows = [];
              for (let y = 4; y < size - 4; y++) {
                let row = "";
                for (let x = 4; x < size - 4; x++) row += points[(y * size + x) * 4] < 128 ? "1" : "0";
                rows.push(row);
              }
              return rows;
            };
            const png = await draw("/r/lobby/invite.png");
            return [png, await draw("/r/lobby/invite.svg", png.length + 8)];
          })()
          """)
      for picture in pictures.elements {
        let modules = picture.elements.map { ($0.string ?? "").map { $0 == "1" } }
        #expect(QRCodeReader(modules)?.text == link)
      }
      #expect(pictures.elements.count == 2)
      try await browser.call("Emulation.setFocusEmulationEnabled", ["enabled": true])
      try await browser.call(
        "Browser.grantPermissions",
        ["origin": .string(url), "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]])
      #expect(try await browser.value(of: "document.querySelector('#link').textContent") == .string(link))
      try await browser.click("#copy")
      // The button says so once it is done.
      try await browser.value(
        of: """
          new Promise(done => {
            const button = document.querySelector("#copy"), look = () => button.textContent == "Copied" && done();
            new MutationObserver(look).observe(button, {childList: true, subtree: true, characterData: true});
            look();
          })
          """)
      #expect(try await browser.value(of: "navigator.clipboard.readText()") == .string(link))
    }
  }

  @Test(.timeLimit(.minutes(5))) func theListFollowsWhatIsPosted() async throws {
    try await withBrowser { (site, browser, url) async throws in
      let member = try site.member()
      try await post(site, member, "first", name: "Ann")
      // The page asks again when the test says so.
      try await browser.call(
        "Page.addScriptToEvaluateOnNewDocument",
        ["source": "window.setInterval = (work, time) => { window.work = work; window.time = time; }"])
      try await browser.go(to: "\(url)/lobby")
      #expect(try await browser.value(of: "time") == 15_000)
      try await post(site, member, "<b>second</b>", name: "Ann")
      try await browser.value(of: "work()")
      try await browser.value(
        of: """
          new Promise(done => {
            const list = document.querySelector("#recent"), look = () => list.querySelectorAll("p").length > 1 && done();
            new MutationObserver(look).observe(list, {childList: true, subtree: true});
            look();
          })
          """)
      #expect(try await texts(browser, "#recent .posts > li > p") == ["<b>second</b>", "first"])
      try await expectNoHarm(browser, from: url)
      // A page that is not looked at asks for nothing.
      let count = browser.events("Network.requestWillBeSent").count
      try await browser.value(of: "Object.defineProperty(document, 'hidden', {get: () => true})")
      try await browser.value(of: "work()")
      #expect(browser.events("Network.requestWillBeSent").count == count)
    }
  }

  @Test(.timeLimit(.minutes(5))) func everythingIsThereWithoutScripts() async throws {
    try await withBrowser { (site, browser, url) async throws in
      try await post(site, try site.member(), "hello", name: "Ann")
      try await browser.call("Emulation.setScriptExecutionDisabled", ["value": true])
      try await browser.go(to: "\(url)/lobby")
      let root = try await browser.call("DOM.getDocument")["root"]?["nodeId"] ?? .null
      let html = try await browser.call("DOM.getOuterHTML", ["nodeId": root])["outerHTML"]?.string ?? ""
      for text in ["<bdi>hello</bdi>", "<bdi>Ann</bdi>", "Newest messages", "How to join", "invite.svg"] {
        #expect(html.contains(text))
      }
      #expect(html.contains(site.server.key.hex))
      // The button would do nothing.
      let button = try await browser.call("DOM.querySelector", ["nodeId": root, "selector": "#copy"])[
        "nodeId"]
      await #expect(throws: DrivenBrowser.Failure.self) {
        try await browser.call("DOM.getBoxModel", ["nodeId": button ?? .null])
      }
    }
  }

  /// The least contrast of a text to what is behind it, and the texts that have less than they need.
  private static let contrast = """
    (() => {
      const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
      const light = color => {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(part => {
          part /= 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      const behind = element => {
        for (; element; element = element.parentElement) {
          const color = getComputedStyle(element).backgroundColor;
          if (!color.endsWith(", 0)") && color != "transparent") return color;
        }
        return matchMedia("(prefers-color-scheme:dark)").matches ? "#121212" : "#fff";
      };
      const few = [];
      for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some(node => node.nodeType == 3 && node.data.trim());
        if (!own) continue;
        const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
        if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) few.push(element.outerHTML);
      }
      return few;
    })()
    """

  /// Puts pictures of the pages into the folder that the variable `PAGE_PICTURES` names, for people to look at.
  private func takePictures(_ browser: DrivenBrowser, of url: String, isDark: Bool) async throws {
    guard let folder = ProcessInfo.processInfo.environment["PAGE_PICTURES"] else { return }
    for width in [320, 1000] {
      try await browser.show(width: width, height: 800, isDark: isDark)
      for (name, path) in [("room", "lobby"), ("index", ""), ("none", "none")] {
        try await browser.go(to: "\(url)/\(path)")
        let file = "\(folder)/\(name)-\(width)-\(isDark ? "dark" : "light").png"
        try await browser.picture().write(to: URL(filePath: file))
      }
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: [false, true])
  func pagesAreReadableInSmallWindowsAndByKeyboard(isDark: Bool) async throws {
    try await withBrowser { (site, browser, url) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      let word = String(repeating: "Donaudampfschifffahrt", count: 12)
      for text in ["Hello everybody", word, "https://example.com/\(word)"] {
        try await post(site, member, text, name: String(word.prefix(100)), file: word)
      }
      for emoji in ["👍", "🎉", String(word.prefix(12))] {
        _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/\(emoji)", json: [:])
      }
      let change: JSONValue = ["name": .string(String(word.prefix(100))), "description": .string(word)]
      #expect(try await site.call(admin, "PUT", "/room/lobby", json: change).status == 200)
      for path in ["lobby", "", "none"] {
        try await browser.show(width: 320, height: 640, isDark: isDark)
        try await browser.go(to: "\(url)/\(path)")
        #expect(try await browser.value(of: "document.documentElement.scrollWidth") == 320, "\(path)")
        #expect(try await browser.value(of: Self.contrast) == [], "\(path)")
        #expect(
          try await browser.value(
            of: """
              [document.documentElement.lang, document.title != "", document.querySelectorAll("h1").length,
                document.querySelectorAll("img:not([alt])").length]
              """) == ["en", true, 1, 0], "\(path)")
      }
      try await takePictures(browser, of: url, isDark: isDark)
      // The keyboard leads to everything that can be used.
      for (path, reached) in [("lobby", "copy"), ("", "/r/lobby/")] {
        try await browser.go(to: "\(url)/\(path)")
        for kind in ["keyDown", "keyUp"] {
          try await browser.call(
            "Input.dispatchKeyEvent",
            ["type": .string(kind), "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9])
        }
        let element = "document.activeElement.getAttribute('href') ?? document.activeElement.id"
        #expect(try await browser.value(of: element) == .string(reached))
      }
    }
  }
}
