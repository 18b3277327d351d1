import CSessionCore
import SessionCore
import SessionHTTP
import SessionNodeCore
import Testing

@testable import SessionServers

/// Requests that arrive through the network, sealed for the server.
@Suite(.timeLimit(.minutes(5))) struct SealedRequestTests {
  @Test(arguments: [SC_HOP_XCHACHA20.rawValue, SC_HOP_AES_GCM.rawValue])
  func bothCiphersAreAnsweredInKind(cipher: UInt32) async throws {
    try await withFileSite { (site) async throws in
      let sealed = try SealedExchange(
        "POST", "/file", body: bytes("hello"), for: site.server.exchangeKey, cipher: sc_hop_cipher(cipher))
      let reply = try await site.post(.post, "/oxen/v4/lsrpc", body: sealed.bytes)
      #expect(reply.headers["content-type"] == "application/octet-stream")
      #expect(try sealed.open(reply.body).status == 200)
    }
  }

  @Test func undecryptableRequestsGetAPlainReply() async throws {
    try await withFileSite { (site) async throws in
      let sealed = try SealedExchange("GET", "/file/1", for: site.server.exchangeKey).bytes
      let other = try SealedExchange("GET", "/file/1", for: NodeKeys.random().exchangeKey).bytes
      var changed = sealed
      changed[20] ^= 1
      let short: [[UInt8]] = [[], [1, 2, 3], [255, 255, 255, 255]]
      for bytes in short + [Array(sealed.dropLast()), changed, other] {
        let reply = try await site.post(.post, "/oxen/v4/lsrpc", body: bytes)
        #expect(reply.status == 400)
        #expect(String(decoding: reply.body, as: UTF8.self) == "Invalid ciphertext")
      }
      #expect(try await site.post(.get, "/oxen/v4/lsrpc", body: nil).status == 405)
    }
  }

  @Test(arguments: [
    "", "l", "le", "x", "l2:{}e", #"l20:{"method":"GET"}1234e"#, #"l4:nulle"#,
    #"l54:{"method":"FETCH","endpoint":"/file/1","headers":{}}e"#,
    #"l50:{"method":"GET","endpoint":"file/1","headers":{}}e"#,
    #"l57:{"method":"GET","endpoint":"/file/1","headers":{"a":1}}e"#,
  ])
  func malformedRequestsGetASealedError(payload: String) async throws {
    try await withFileSite { (site) async throws in
      let sealed = try SealedExchange(payload: bytes(payload), for: site.server.exchangeKey)
      let reply = try await site.post(.post, "/oxen/v4/lsrpc", body: sealed.bytes)
      #expect(reply.status == 200)
      let answer = try sealed.open(reply.body)
      #expect(answer.status == 400)
      #expect(answer.text == "Invalid v4 onion request")
      #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
    }
  }

  @Test func nothingComesThroughTheNetworkTwice() async throws {
    try await withFileSite { (site) async throws in
      let inner = try SealedExchange("GET", "/file/1", for: site.server.exchangeKey)
      let answer = try await site.call("POST", "/oxen/v4/lsrpc", over: .onion, body: inner.bytes)
      #expect(answer.status == 404)
    }
  }

  @Test(arguments: ["/a b", "/a\\u0000", "/%zz", "/ü"])
  func badPathsAreRefused(endpoint: String) async throws {
    try await withFileSite { (site) async throws in
      #expect(try await site.call("GET", endpoint, over: .onion).status == 400)
    }
  }

  @Test func theLargestFilePassesSealed() async throws {
    try await withFileSite { (site) async throws in
      let content = [UInt8](repeating: 5, count: FileServer.Options.maxFileBytes)
      let id = try await site.upload(content, over: .onion)
      #expect(try await site.call("GET", "/file/\(id)", over: .onion).body == content)
      let more = try await site.call("POST", "/file", over: .onion, body: content + [1])
      #expect(more.status == 413)
    }
  }
}
