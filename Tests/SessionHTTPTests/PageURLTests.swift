import SessionHTTP
import Testing

@Suite struct PageURLTests {
  @Test func anInternationalNameHasTheFormOfNameServers() throws {
    let url = try PageURL(parsing: "https://B\u{FC}cher.example/a?b=c")
    #expect(url.host == "xn--bcher-kva.example" && url.text == "https://xn--bcher-kva.example/a?b=c")
    // It looks like another name.
    #expect(try PageURL(parsing: "https://\u{430}pple.com").host == "xn--pple-43d.com")
  }

  @Test func aReferenceIsResolvedAgainstItsPage() throws {
    let page = try PageURL(parsing: "https://example.org/news/today.html?x=1")
    #expect(try page.resolving("/pic.png").text == "https://example.org/pic.png")
    #expect(try page.resolving("pic.png").text == "https://example.org/news/pic.png")
    #expect(try page.resolving("//other.org/p").text == "https://other.org/p")
    #expect(try page.resolving("http://example.org/").isSecure == false)
    for text in [
      "file:///etc/passwd", "data:image/png;base64,AA", "https://me@other.org/", "ftp://x/", "https://",
    ] {
      #expect(throws: HTTPError.url, "\(text)") { try page.resolving(text) }
    }
  }

  @Test func addressesInAllFormsAreKnown() throws {
    for text in [
      "https://127.0.0.1/", "https://2130706433/", "https://0x7f000001/", "https://0177.0.0.1/",
      "https://[::1]/", "https://[::ffff:127.0.0.1]/",
    ] {
      #expect(try PageURL(parsing: text).isLiteral, "\(text)")
    }
    #expect(try !PageURL(parsing: "https://example.org").isLiteral)
  }
}
