import Dispatch
import SessionBase
import SessionCore
import SessionHTTP
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClientTests {
  /// More clients than there are threads for worker queues.
  @Test func idleClientsLeaveTheWorkerQueuesTheirThreads() async throws {
    let clients = try (0..<300).map { _ in try HTTPClient(options: .patient) }
    let isDone = Latch()
    WorkerQueue("session.tests").post { isDone.open() }
    let hasWorked = try await withinTime(.seconds(20)) {
      await isDone.wait()
      return !Task.isCancelled
    }
    #expect(hasWorked == true)
    for client in clients { await client.stop() }
  }

  @Test func redirectsAreAnswersLikeOthers() async throws {
    let asked = Mutex(0)
    try await withSite { _ in
      asked.withLock { $0 += 1 }
      return HTTPResponse(302, headers: ["Location": "/elsewhere"])
    } body: { (site) async throws in
      let reply = try await site.call()
      #expect(reply.status == 302)
      #expect(reply.headers["location"] == "/elsewhere")
    }
    #expect(asked.withLock { $0 } == 1)
  }

  @Test func anAnswerOverTheLimitIsRefused() async throws {
    try await withSite { _ in
      .text(200, String(repeating: "x", count: 1001))
    } body: { (site) async throws in
      var request = HTTPClient.Request.patient(.get, site.url)
      request.maxReply = 1001
      #expect(try await site.client.send(request).body.count == 1001)
      request.maxReply = 1000
      let refused = request
      #expect(await failure { _ = try await site.client.send(refused) } == .tooLarge)
    }
  }

  @Test func aHeadOverTheLimitIsRefused() async throws {
    let long = String(repeating: "x", count: 3000)
    try await withSite { _ in
      HTTPResponse(200, headers: ["X-Long": long])
    } body: { (site) async throws in
      var options = HTTPClient.Options.patient
      options.maxHead = 2000
      let client = try HTTPClient(options: options)
      #expect(await failure { _ = try await client.send(.patient(.get, site.url)) } == .tooLarge)
      await client.stop()
    }
  }

  @Test func anAnswerThatTakesTooLongIsNotWaitedFor() async throws {
    let gate = Gate()
    try await withSite { _ in
      await gate.wait()
      return .text(200, "")
    } body: { (site) async throws in
      var request = HTTPClient.Request.patient(.get, site.url)
      request.timeout = .milliseconds(50)
      let late = request
      #expect(await failure { _ = try await site.client.send(late) } == .timeout)
      gate.open()
    }
  }

  @Test func aRequestIsCancelledWithItsTask() async throws {
    let (began, gate) = (Gate(), Gate())
    try await withSite { _ in
      began.open()
      await gate.wait()
      return .text(200, "")
    } body: { (site) async throws in
      let task = Task { await failure { _ = try await site.call() } }
      await began.wait()
      task.cancel()
      #expect(await task.value == .cancelled)
      gate.open()
      let never = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await failure { _ = try await site.call() }
      }
      #expect(await never.value == .cancelled)
      #expect(try await site.call().status == 200)
    }
  }

  @Test(arguments: [
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]", "localhost",
  ])
  func addressesThatAreNotAdmittedAreNotAsked(host: String) async throws {
    let isAsked = Mutex(false)
    let server = try HTTPServer(at: loopback()) { _ in
      isAsked.withLock { $0 = true }
      return .text(200, "")
    }
    var options = HTTPClient.Options.patient
    options.admits = { _ in false }
    let client = try HTTPClient(options: options)
    let request = HTTPClient.Request.patient(.get, "http://\(host):\(server.address.port)/")
    #expect(await failure { _ = try await client.send(request) } == .addressRefused)
    await client.stop()
    await server.stop()
    #expect(!isAsked.withLock { $0 })
  }

  @Test func aNameIsLookedUpOnceAndGoesWhereItWasChecked() async throws {
    let hosts = Mutex<[String]>([])
    let lookups = Mutex(0)
    try await withSite { request in
      hosts.withLock { $0.append(request.headers["Host"] ?? "") }
      return .text(200, "")
    } body: { (site) async throws in
      var options = HTTPClient.Options.patient
      options.lookUp = { _, port in
        // A name that resolves to another address the second time.
        let count = lookups.withLock {
          $0 += 1
          return $0
        }
        return [NetworkAddress(host: [127, 0, 0, count == 1 ? 1 : 9], port: port)].compactMap(\.self)
      }
      options.admits = { $0.hostBytes == [127, 0, 0, 1] }
      let client = try HTTPClient(options: options)
      let url = "http://files.example:\(site.server.address.port)/"
      #expect(try await client.send(.patient(.get, url)).status == 200)
      #expect(lookups.withLock { $0 } == 1)
      #expect(await failure { _ = try await client.send(.patient(.get, url)) } == .addressRefused)
      await client.stop()
    }
    #expect(hosts.withLock { $0 }.count == 1)
    #expect(hosts.withLock { $0 }.first?.hasPrefix("files.example:") == true)
  }

  @Test func oneAddressThatIsNotAdmittedIsEnough() async throws {
    var options = HTTPClient.Options.patient
    options.lookUp = { _, port in
      [[127, 0, 0, 1], [10, 0, 0, 1]].compactMap { NetworkAddress(host: $0, port: port) }
    }
    options.admits = { $0.isLoopback }
    let client = try HTTPClient(options: options)
    #expect(
      await failure { _ = try await client.send(.patient(.get, "http://two.example/")) } == .addressRefused)
    await client.stop()
  }

  @Test func aNameWithoutAddressIsSaidToBeThat() async throws {
    var options = HTTPClient.Options.patient
    options.lookUp = { _, _ in [] }
    let client = try HTTPClient(options: options)
    #expect(
      await failure { _ = try await client.send(.patient(.get, "http://none.example/")) } == .nameUnknown)
    await client.stop()
  }

  @Test func slowLookupDoesNotDelayOtherRequests() async throws {
    let gate = DispatchSemaphore(value: 0)
    try await withSite { _ in
      .text(200, "")
    } body: { (site) async throws in
      var options = HTTPClient.Options.patient
      options.maxLookups = 1
      options.lookUp = { _, _ in
        gate.wait()
        return []
      }
      let client = try HTTPClient(options: options)
      var request = HTTPClient.Request.patient(.get, "http://slow.example/")
      request.timeout = .milliseconds(50)
      let slow = request
      #expect(await failure { _ = try await client.send(slow) } == .timeout)
      #expect(try await client.send(.patient(.get, site.url)).status == 200)
      // The thread that looks up is still at it.
      #expect(await failure { _ = try await client.send(slow) } == .busy)
      gate.signal()
      await client.stop()
    }
  }

  @Test(arguments: [
    "", "example.org", "ftp://example.org/", "file:///etc/passwd", "http://user@example.org/",
    "http://user:word@example.org/", "http://", "http://exa mple.org/", "http://example.org:0/",
    "http://example.org:99999/", "gopher://127.0.0.1:70/_x", "http://a\u{0}b/",
  ])
  func badURLsAreRefused(url: String) async throws {
    let client = try HTTPClient(options: .patient)
    #expect(await failure { _ = try await client.send(.patient(.get, url)) } == .url)
    await client.stop()
  }

  @Test func badHeadersAreRefused() async throws {
    let client = try HTTPClient(options: .patient)
    for headers: HTTPHeaders in [["X-A": "b\r\nX-C: d"], ["X A": "b"], ["": "b"]] {
      #expect(
        await failure { _ = try await client.send(.patient(.get, "http://127.0.0.1:1/", headers: headers)) }
          == .header)
    }
    let method = HTTPMethod(rawValue: "GET /\r\n")
    #expect(await failure { _ = try await client.send(.patient(method, "http://127.0.0.1:1/")) } == .header)
    await client.stop()
  }

  @Test func closedPortIsUnreachable() async throws {
    let server = try HTTPServer(at: loopback()) { _ in .text(200, "") }
    let address = server.address
    await server.stop()
    let client = try HTTPClient(options: .patient)
    guard
      case .unreachable = await failure({ _ = try await client.send(.patient(.get, "http://\(address)/")) })
    else {
      Issue.record("somebody was there")
      return
    }
    await client.stop()
  }

  @Test func stoppingEndsAllRequests() async throws {
    let (began, gate) = (Gate(), Gate())
    try await withSite { _ in
      began.open()
      await gate.wait()
      return .text(200, "")
    } body: { (site) async throws in
      async let error = failure { _ = try await site.call() }
      await began.wait()
      await site.client.stop()
      #expect(await error == .stopped)
      #expect(await failure { _ = try await site.call() } == .stopped)
      gate.open()
    }
  }

  @Test func requestsBeyondTheLimitAreTurnedAway() async throws {
    let (began, gate) = (Gate(), Gate())
    try await withSite { _ in
      began.open()
      await gate.wait()
      return .text(200, "")
    } body: { (site) async throws in
      var options = HTTPClient.Options.patient
      options.maxRequests = 1
      let client = try HTTPClient(options: options)
      async let first = client.send(.patient(.get, site.url))
      await began.wait()
      #expect(await failure { _ = try await client.send(.patient(.get, site.url)) } == .busy)
      gate.open()
      #expect(try await first.status == 200)
      await client.stop()
    }
  }
}
