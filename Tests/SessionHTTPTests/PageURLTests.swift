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

  /// The parser and the mapping of international names see them one after the other.
  @Test func disguisedAddressesAreNoNames() {
    for text in [
      "https://\u{FF11}\u{FF12}\u{FF17}.\u{FF10}.\u{FF10}.\u{FF11}/",
      "https://169\u{3002}254\u{3002}169\u{3002}254/",
      "https://%3127.1/", "https://%253127.1/", "https://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/",
    ] {
      #expect((try? PageURL(parsing: text))?.isLiteral != false, "\(text)")
    }
  }

  @Test func anAddressOfAPageStaysAsItIs() throws {
    for text in [
      "https://example.org/", "https://example.org/a%20b?c=%2F&d=e+f#g", "https://Example.org:8443/x",
      "https://[2001:db8::1]/", "https://xn--bcher-kva.example/",
    ] {
      #expect(try PageURL(parsing: text).text == text)
    }
  }
}
