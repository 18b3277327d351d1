import SessionBase
import SessionCore
import SessionHTTP
import SessionService
import SessionStorage
import Synchronization

/// Answers the requests of clients, in this order: form, signature, ban, route, permission.
final class CommunityAnswering: RequestAnswering {
  /// Bytes of a path.
  static let maxPath = 2048
  /// The largest batch that is looked up in the memory of resting polls first, in bytes.
  private static let maxRestingBatch = 64 * 1024
  /// The largest answer from memory that is sent at once, in bytes.
  private static let maxRestingAnswer = 64 * 1024
  let rules: CommunityRules
  let store: CommunityStore
  let metrics: ServerMetrics
  private let routes = RouteTable<CommunityRoute>.community
  private let nonces = NonceMemory()
  /// The content of files is opened one after the other.
  private let reading = WorkerQueue("session.community.reading")
  /// The content of files in rows is written to the device before it is sent.
  let copying = WorkerQueue("session.community.copying")
  let uploads: CommunityUploads
  /// Texts are looked at one after the other, so that they leave the other cores to requests.
  private let judging = WorkerQueue("session.community.judging")
  /// The persons that were met since the server began, and the ids that they signed with last.
  private let met = Mutex<[[UInt8]: Met]>([:])

  private struct Met {
    let id: Int64
    var shown: String
  }

  init(_ store: CommunityStore, _ rules: CommunityRules, _ metrics: ServerMetrics) {
    (self.store, self.rules, self.metrics) = (store, rules, metrics)
    uploads = CommunityUploads(rules.shelves, log: rules.options.log)
  }

  var now: Int64 { Int64(clamping: rules.options.wallClock()) }

  // MARK: - One request

  func refusal(_ refusal: ServerRefusal) -> HTTPResponse {
    CommunityAnswer(CommunityRefusal(refusal)).response
  }

  func target(of endpoint: String) -> HTTPTarget? { HTTPTarget(unicode: endpoint) }

  func answer(_ request: HTTPRequest, over way: ServerMetrics.Way) async -> HTTPResponse {
    let route = match(request.method, request.target)
    let response: HTTPResponse
    do throws(CommunityRefusal) {
      response = await self.response(try await answer(request, route, over: way))
    } catch {
      response = CommunityAnswer(error).response
    }
    if case .route(let route, _) = route {
      metrics.count(route, over: way, status: response.status)
    } else {
      metrics.count(RouteTable<CommunityRoute>.Route?.none, over: way, status: response.status)
    }
    return response
  }

  /// The route of a request; only pages may have a slash at their end. Paths of the API are no pages of rooms.
  private func match(_ method: HTTPMethod, _ target: HTTPTarget) -> RouteTable<CommunityRoute>.Match {
    let match = routes.match(method, target)
    if case .route(let route, let parameters) = match, route.pattern == "/{room}",
      NewRoom.reserved.contains(RoomRow.folded(parameters["room"] ?? ""))
    {
      guard case .route(let other, _) = routes.match(.post, target) else { return .nothing }
      return .methods([other.method])
    }
    guard target.segments.count > 1, target.segments.last == "", case .route(let route, _) = match,
      !["/{room}", "/r/{room}"].contains(route.pattern)
    else { return match }
    return .nothing
  }

  private func response(_ answer: CommunityAnswer) async -> HTTPResponse {
    guard case .file = answer.body else { return answer.response }
    return await reading.run { answer.response }
  }

  private func answer(
    _ request: HTTPRequest, _ match: RouteTable<CommunityRoute>.Match, over way: ServerMetrics.Way
  ) async throws(CommunityRefusal) -> CommunityAnswer {
    try Self.checkPath(request.target)
    if way == .onion, ["oxen", "loki"].contains(request.target.segments.first) {
      throw .invalid("Invalid v4 onion request")
    }
    let signed = try SignedRequest(request.headers)
    if signed == nil { try rules.paces.check(address: client(of: request), over: way, now: now) }
    let received = try await receive(request, match, signed, over: way)
    // What is not stored is gone before the client learns of it.
    defer { received.discard() }
    let author = try signed.map { signed throws(CommunityRefusal) in
      try authenticate(signed, request, received.signedBody, over: way)
    }
    var caller: (Int64, String)?
    if let author { caller = try await meet(author) }
    guard case .route(let route, let parameters) = match else { return Self.unrouted(match) }
    let visit = CommunityVisit(
      method: request.method, target: request.target, parameters: parameters, headers: request.headers,
      body: received, author: author?.id, now: now, rules: rules)
    let copies = CopyRoom.Client.all(
      of: caller?.0, at: origin(of: request, over: way), isOfMany: isOfMany(request, over: way))
    let signer = Signer(person: caller, signed: signed, copies: copies)
    guard let time = try waitingTime(request, route.pattern, over: way) else {
      return try await answer(route.handler, visit, signer)
    }
    let who = author?.key ?? client(of: request)?.hostBytes ?? []
    return try await answer(within: time, visit, who: who) { visit throws(CommunityRefusal) in
      try await answer(route.handler, visit, signer)
    }
  }

  private func answer(
    _ route: CommunityRoute, _ visit: CommunityVisit, _ signer: Signer
  ) async throws(CommunityRefusal) -> CommunityAnswer {
    // Polls at rest do not wait behind large answers.
    if let rested = try rested(route, visit, signer) {
      guard rested.bytes > Self.maxRestingAnswer else { return rested.whole }
      return try await rules.answers.making(rested.maxAnswer) { rested.whole }
    }
    return try await rules.answers.making(route.maxAnswer) { () throws(CommunityRefusal) in
      try await perform(route, visit, signer)
    }
  }

  private func client(of request: HTTPRequest) -> NetworkAddress? {
    request.client(behind: rules.options.trustedProxies)
  }

  /// Throws 400 for a path that no route can have.
  private static func checkPath(_ target: HTTPTarget) throws(CommunityRefusal) {
    let length = target.text.utf8.prefix { $0 != UInt8(ascii: "?") }.count
    guard length <= maxPath, !target.segments.contains(where: { $0 == "." || $0 == ".." }) else {
      throw .invalid("Invalid path")
    }
  }

  /// The content of a file goes to the device as it arrives; all other bodies are collected.
  func takesPieces(_ request: HTTPRequest) -> Bool { Self.isUpload(match(request.method, request.target)) }

  private static func isUpload(_ match: RouteTable<CommunityRoute>.Match) -> Bool {
    if case .route(let route, _) = match, case .upload = route.handler { true } else { false }
  }

  var forbidsSniffing: Bool { true }

  /// The body of a request. That of a request whose signature cannot be right is not read.
  private func receive(
    _ request: HTTPRequest, _ match: RouteTable<CommunityRoute>.Match, _ signed: SignedRequest?,
    over way: ServerMetrics.Way
  ) async throws(CommunityRefusal) -> CommunityVisit.Body {
    var limit = rules.options.maxRequestBytes
    if case .route(let route, _) = match { limit = route.handler.maxBody(rules.options) }
    if Self.isUpload(match) {
      // Strangers upload nothing; the answer to them follows from the room.
      guard let signed else { return .bytes([]) }
      try checkClaims(of: signed, request, over: way)
      _ = try claimant(of: signed, request, over: way)
      do throws(CommunityRefusal) { return try await uploads.receive(request.body, upTo: limit) } catch {
        // What came was written without a signature.
        if error.status < 500 {
          rules.paces.noteForgery(from: origin(of: request, over: way), over: way, now: now)
        }
        throw error
      }
    }
    do throws(HTTPError) { return .bytes(try await request.body.collect(upTo: limit)) } catch {
      throw CommunityRefusal(ServerRefusal(error))
    }
  }

  private static func unrouted(_ match: RouteTable<CommunityRoute>.Match) -> CommunityAnswer {
    guard case .methods(let methods) = match else { return CommunityAnswer(.notFound) }
    var answer = CommunityAnswer(CommunityRefusal(ServerRefusal(405)))
    answer.headers["Allow"] = methods.map(\.rawValue).joined(separator: ", ")
    return answer
  }

  // MARK: - Who asks

  private struct Author {
    let id: SessionID
    let key: [UInt8]
  }

  /// Who made a request, and by which signature; nothing of it for an anonymous one.
  struct Signer: Sendable {
    let person: Int64?
    let id: String?
    let signed: SignedRequest?
    /// Those whose parts of the room for copies the request uses.
    let copies: [CopyRoom.Client]
    let changes = Changes()

    init(person: (Int64, String)?, signed: SignedRequest?, copies: [CopyRoom.Client]) {
      (self.person, id, self.signed, self.copies) = (person?.0, person?.1, signed, copies)
    }
  }

  /// What a request has changed so far.
  final class Changes: Sendable {
    private let areThere = Atomic(false)

    func note() { areThere.store(true, ordering: .relaxed) }

    /// The number of an element as a part of its nonce: none for the first change of a request, so that a request carries
    /// out nothing of what failed when it is repeated.
    func number(_ element: Int?) -> Int? { areThere.load(ordering: .relaxed) ? element : nil }
  }

  /// Checks what a request says of itself, before its body is read. Nothing is remembered of it.
  private func checkClaims(
    of signed: SignedRequest, _ request: HTTPRequest, over way: ServerMetrics.Way
  ) throws(CommunityRefusal) {
    guard rules.options.blinding.accepts(signed.signer.kind) else {
      throw .invalid("Invalid authentication: this server requires the use of blinded ids")
    }
    try signed.checkTime(now: now)
    try rules.paces.checkForgeries(from: origin(of: request, over: way), over: way, now: now)
  }

  /// Where a request is from; headers of requests through the network are the client's own.
  private func origin(of request: HTTPRequest, over way: ServerMetrics.Way) -> NetworkAddress? {
    way == .plain ? client(of: request) : request.peer
  }

  /// True for a request through the network from a proxy that does not tell which node passed it on.
  private func isOfMany(_ request: HTTPRequest, over way: ServerMetrics.Way) -> Bool {
    guard way == .onion, let peer = request.peer else { return false }
    return peer.isLoopback || rules.options.trustedProxies.contains { $0.hostBytes == peer.hostBytes }
  }

  /// The key of the person that a request names.
  private func claimant(
    of signed: SignedRequest, _ request: HTTPRequest, over way: ServerMetrics.Way
  ) throws(CommunityRefusal) -> [UInt8] {
    do throws(CommunityRefusal) { return try rules.persons.key(of: signed.signer) } catch {
      rules.paces.noteForgery(from: origin(of: request, over: way), over: way, now: now)
      throw error
    }
  }

  /// Checks a signature. Nothing is written or remembered before it is known to be right.
  private func authenticate(
    _ signed: SignedRequest, _ request: HTTPRequest, _ body: SignedRequest.Body, over way: ServerMetrics.Way
  ) throws(CommunityRefusal) -> Author {
    try checkClaims(of: signed, request, over: way)
    let now = now
    let key = try claimant(of: signed, request, over: way)
    do throws(CommunityRefusal) {
      try signed.checkSignature(
        of: request.method.rawValue, request.target.signedPath, body: body, server: rules.key)
    } catch {
      rules.paces.noteForgery(from: origin(of: request, over: way), over: way, now: now)
      throw error
    }
    guard nonces.take(signed.nonce, now: now) else { throw .reusedNonce }
    try rules.paces.check(person: key, now: now)
    guard let author = signed.author else {
      throw .invalid("Invalid authentication: the id is not a valid key")
    }
    return Author(id: author, key: key)
  }

  /// The row of a person, made or updated where it is new or has another id.
  private func meet(_ author: Author) async throws(CommunityRefusal) -> (Int64, String) {
    let shown = author.id.description
    let known = met.withLock { met in
      defer { met[author.key]?.shown = shown }
      return met[author.key]
    }
    if let known {
      if known.shown != shown { rules.shownIDs.note(shown, of: known.id) }
      return (known.id, shown)
    }
    do {
      let now = now
      let row = try await row(of: author, as: shown, now: now)
      met.withLock { met in
        if met.count >= PersonKeys.maxCount { met.removeAll(keepingCapacity: true) }
        met[author.key] = Met(id: row.id, shown: shown)
      }
      return (row.id, shown)
    } catch {
      throw failure(error)
    }
  }

  /// Only somebody who has never come before is written at once.
  private func row(of author: Author, as shown: String, now: Int64) async throws -> PersonRow {
    let known = try await store.read { try $0.person(key: author.key) }
    if let known, let last = known.shown {
      if last != shown { rules.shownIDs.note(shown, of: known.id) }
      return known
    }
    if known == nil { try rules.paces.checkNewcomer(now: now) }
    return try await store.write { try $0.meet(author.key, as: shown, now: now) }
  }

  /// The answer to a request that only asks what is remembered; nil for another one.
  private func rested(
    _ route: CommunityRoute, _ visit: CommunityVisit, _ signer: Signer
  ) throws(CommunityRefusal) -> RestingAnswer? {
    do {
      switch route {
      case .read(let handler, let resting):
        // The handler looks at the rest of the request.
        _ = try handler(visit)
        guard let read = try resting?(visit) else { return nil }
        let known = store.memory.answers(to: [read], of: signer.person, rules, now: visit.now)
        return known?.first.map(RestingAnswer.one)
      case .batch(let inOrder):
        guard visit.bytes.count <= Self.maxRestingBatch else { return nil }
        let elements = try BatchRequest(visit.bytes).elements
        guard elements.allSatisfy({ $0.method == .get }) else { return nil }
        let known = remembered(elements.map { prepared($0, of: visit) }, visit, signer)
        return known.map { RestingAnswer.batch($0, inOrder: inOrder) }
      case .write, .post, .upload: return nil
      }
    } catch {
      throw failure(error)
    }
  }

  /// The answers to the elements of a batch from memory; nil if one of them needs the database.
  private func remembered(
    _ parts: [Result<Part, any Error>], _ visit: CommunityVisit, _ signer: Signer
  ) -> [CommunityAnswer]? {
    let reads = parts.compactMap { try? $0.get().resting }
    guard reads.count == parts.count else { return nil }
    return store.memory.answers(to: reads, of: signer.person, rules, now: visit.now)
  }

  // MARK: - Transactions

  private func perform(
    _ route: CommunityRoute, _ visit: CommunityVisit, _ signer: Signer, element: Int? = nil
  ) async throws(CommunityRefusal) -> CommunityAnswer {
    do {
      switch route {
      case .read(let handler, let resting):
        let part = Part(reads: try handler(visit), resting: try resting?(visit))
        return try await withContent(try await read(part, visit, signer), for: signer)
      case .write(let handler): return try await write(try handler(visit), visit.scope, signer, element)
      case .post(let kind): return try await post(kind, visit, signer, element)
      case .upload: return try await upload(visit, signer, element)
      case .batch(let inOrder): return try await batch(visit, signer, inOrder: inOrder)
      }
    } catch {
      throw failure(error)
    }
  }

  /// A request that reads, as it is carried out.
  private struct Part: Sendable {
    let reads: CommunityRoute.Reads
    let resting: RestingRead?
  }

  /// Answers from memory, where it is an element of a batch, or else from the rows, which are then remembered.
  private func read(
    _ part: Part, _ visit: CommunityVisit, _ signer: Signer
  ) async throws -> CommunityAnswer {
    let reads = part.resting.map { [$0] } ?? []
    if let answer = store.memory.answers(to: reads, of: signer.person, rules, now: visit.now)?.first {
      return answer
    }
    let moment = store.memory.moment
    return try await store.read { [rules, memory = store.memory] transaction in
      let caller = try transaction.caller(signer.person, signer.id)
      let answer = try part.reads(transaction, caller)
      let read = part.resting.map { [Answered($0, answer)] } ?? []
      try memory.learn(read, of: caller, since: moment, rules, from: transaction, now: visit.now)
      return answer
    }
  }

  private func write(
    _ writes: @escaping CommunityRoute.Writes, _ scope: WriteScope, _ signer: Signer, _ element: Int?
  ) async throws -> CommunityAnswer {
    let answer = try await store.write(scope) { transaction in
      let answer = try writes(transaction, try transaction.caller(signer.person, signer.id))
      if answer.isChange { try transaction.spend(signer.signed, signer.changes.number(element)) }
      return answer
    }
    if answer.isChange { signer.changes.note() }
    if answer.goesOn { try await goOn(writes, scope, signer) }
    return answer
  }

  /// Posts or edits a message: first the rights, then the text, then the change.
  private func post(
    _ kind: PostKind, _ visit: CommunityVisit, _ signer: Signer, _ element: Int?
  ) async throws -> CommunityAnswer {
    if kind == .edit { try visit.countChange() }
    if let person = signer.person {
      try rules.paces.refusedPosts.check(person, in: visit["room"], now: visit.now)
    }
    let filtered = try await store.read { transaction in
      try visit.checkPosting(kind, in: transaction, try transaction.caller(signer.person, signer.id))
    }
    var judged = try await judging.run { try visit.judgedPost() }
    if let filtered, let post = judged {
      judged?.verdict = await visit.verdict(of: post, in: filtered, kind)
    }
    do {
      let answer = try await write(try visit.writes(kind, judged), visit.scope, signer, element)
      if filtered != nil, let judged { await reply(to: judged, visit) }
      return answer
    } catch let refusal as CommunityRefusal {
      if filtered != nil, let judged { await reply(to: judged, visit, after: refusal) }
      throw refusal
    }
  }

  /// Tells the author of a message that a filter caught it.
  private func reply(to judged: JudgedPost, _ visit: CommunityVisit, after refusal: CommunityRefusal? = nil)
    async
  {
    guard let reply = visit.reply(to: judged, after: refusal) else { return }
    do { try await store.write(visit.scope) { try reply($0) } } catch {
      rules.options.log(.warning, "a filter cannot reply", ["reason": "\(error)"])
    }
  }

  /// Does the rest of what is too much for one transaction.
  private func goOn(
    _ writes: @escaping CommunityRoute.Writes, _ scope: WriteScope, _ signer: Signer
  ) async throws {
    while true {
      do {
        let answer = try await store.write(scope) { try writes($0, try $0.caller(signer.person, signer.id)) }
        guard answer.goesOn else { return }
      } catch let refusal as CommunityRefusal where refusal.status == 404 {
        // Nothing was left.
        return
      }
    }
  }

  /// The refusal for an error; any other error is logged, and hidden from the client.
  func failure(_ error: any Error) -> CommunityRefusal {
    switch error {
    case let refusal as CommunityRefusal: return refusal
    case ServiceFailure.overloaded, StorageError.Code.unreachable, StorageError.Code.busy,
      StorageError.Code.interrupted:
      rules.options.log(.warning, "the database is not available", ["reason": "\(error)"])
      return CommunityRefusal(ServerRefusal(503))
    default:
      rules.options.log(.error, "a request failed", ["reason": "\(error)"])
      return CommunityRefusal(ServerRefusal(500))
    }
  }

  // MARK: - Batches

  private func batch(
    _ visit: CommunityVisit, _ signer: Signer, inOrder: Bool
  ) async throws(CommunityRefusal) -> CommunityAnswer {
    let elements = try BatchRequest(visit.bytes).elements
    let deadline = ContinuousClock.now + rules.options.maxWork
    if let answers = try await snapshot(elements, visit, signer, inOrder: inOrder, deadline) {
      return answers.whole
    }
    // A person who is banned from the server is refused as a whole.
    do { _ = try await store.read { try $0.caller(signer.person, signer.id) } } catch { throw failure(error) }
    var answers = BatchAnswer()
    for (index, element) in elements.enumerated() {
      var answer: CommunityAnswer
      if let refusal = answers.refusal(deadline) {
        answer = refusal
      } else {
        answer = await self.answer(element, of: visit, signer, index)
      }
      if !answers.add(answer), inOrder { break }
    }
    return answers.whole
  }

  private func answer(
    _ element: BatchRequest.Element, of visit: CommunityVisit, _ signer: Signer, _ index: Int
  ) async -> CommunityAnswer {
    let match = match(element.method, element.target)
    do throws(CommunityRefusal) {
      try Self.checkPath(element.target)
      guard case .route(let route, let parameters) = match else { return Self.unrouted(match) }
      return try await perform(
        route.handler, visit.part(element, parameters), signer, element: index)
    } catch {
      return CommunityAnswer(error)
    }
  }

  /// A batch that only reads sees one state of the rows; nil for another batch.
  private func snapshot(
    _ elements: [BatchRequest.Element], _ visit: CommunityVisit, _ signer: Signer, inOrder: Bool,
    _ deadline: ContinuousClock.Instant
  ) async throws(CommunityRefusal) -> BatchAnswer? {
    guard elements.allSatisfy({ $0.method == .get }) else { return nil }
    let parts = elements.map { prepared($0, of: visit) }
    let moment = store.memory.moment
    do {
      return try await store.read { [self] transaction in
        let caller = try transaction.caller(signer.person, signer.id)
        var (answers, hasFailed, read): (BatchAnswer, Bool, [Answered]) = (BatchAnswer(), false, [])
        for part in parts {
          let answer: CommunityAnswer
          if let refusal = answers.refusal(deadline) {
            answer = refusal
          } else if hasFailed {
            answer = .none(503)
          } else {
            do {
              let part = try part.get()
              answer = try part.reads(transaction, caller).withContent(from: transaction)
              if let resting = part.resting { read.append(Answered(resting, answer)) }
            } catch {
              // A transaction in which a statement has failed reads nothing more.
              hasFailed = error is StorageError
              answer = CommunityAnswer(failure(error))
            }
          }
          if !answers.add(answer), inOrder { break }
        }
        if hasFailed { return answers }
        try store.memory.learn(read, of: caller, since: moment, rules, from: transaction, now: visit.now)
        return answers
      }
    } catch {
      throw failure(error)
    }
  }

  /// The work of an element that reads.
  private func prepared(
    _ element: BatchRequest.Element, of visit: CommunityVisit
  ) -> Result<Part, any Error> {
    Result {
      try Self.checkPath(element.target)
      let match = match(element.method, element.target)
      guard case .route(let route, let parameters) = match,
        case .read(let handler, let resting) = route.handler
      else {
        let answer = Self.unrouted(match)
        return Part(reads: { _, _ in answer }, resting: nil)
      }
      let part = visit.part(element, parameters)
      return Part(reads: try handler(part), resting: try resting?(part))
    }
  }
}

/// What a request gets from memory. Pages in it take no memory of their own.
private enum RestingAnswer {
  case one(CommunityAnswer)
  /// The answers to the elements of a batch.
  case batch([CommunityAnswer], inOrder: Bool)

  /// Bytes of the bodies.
  var bytes: Int {
    switch self {
    case .one(let answer): answer.bytes
    case .batch(let answers, _): answers.reduce(0) { $0 + $1.bytes }
    }
  }

  /// Bytes that making the whole may take.
  var maxAnswer: Int {
    switch self {
    case .one: bytes
    case .batch: BatchRequest.maxAnswers
    }
  }

  var whole: CommunityAnswer {
    switch self {
    case .one(let answer): return answer
    case .batch(let known, let inOrder):
      var answers = BatchAnswer()
      for answer in known {
        if !answers.add(answer), inOrder { break }
      }
      return answers.whole
    }
  }
}

/// The answers to the elements of a batch, as far as they are there.
private struct BatchAnswer: Sendable {
  private var elements: [String] = []
  private var bytes = 0
  private var isFull = false

  /// The answer to an element that is not looked at any more: there is too much already, or it took too long.
  func refusal(_ deadline: ContinuousClock.Instant) -> CommunityAnswer? {
    if isFull { return .none(413) }
    return ContinuousClock.now >= deadline ? .none(503) : nil
  }

  /// Adds an answer; false unless it is a success. One that is too much for the whole becomes 413, as do all
  /// later ones.
  mutating func add(_ answer: CommunityAnswer) -> Bool {
    let element = isFull ? nil : answer.element
    guard let element, bytes + element.utf8.count <= BatchRequest.maxAnswers else {
      isFull = true
      elements.append(CommunityAnswer.none(413).element)
      return false
    }
    bytes += element.utf8.count
    elements.append(element)
    return (200...299).contains(answer.status)
  }

  var whole: CommunityAnswer {
    CommunityAnswer(200, .json("[\(elements.joined(separator: ","))]"))
  }
}

extension CommunityVisit {
  /// What a change is about.
  var scope: WriteScope {
    if let room = parameters["room"] { return .room(room) }
    if target.segments.first == "inbox", let author, let id = parameters["person"],
      let sender = try? rules.persons.key(of: author), let recipient = try? rules.persons.named(id)
    {
      return .letter(sender, recipient.key)
    }
    return .server
  }

  /// One request of a batch, by the same caller.
  fileprivate func part(_ element: BatchRequest.Element, _ parameters: [String: String]) -> CommunityVisit {
    CommunityVisit(
      method: element.method, target: element.target, parameters: parameters, headers: element.headers,
      body: element.body, author: author, now: now, rules: rules)
  }
}

extension Reading where Self: ~Copyable {
  /// The caller with the rights of this moment. Throws 403 for somebody who is banned from the server.
  func caller(_ person: Int64?, _ id: String?) throws -> CommunityCaller? {
    guard let person, let id else { return nil }
    guard let row = try self.person(person) else {
      throw StorageError(.missing, "a person that was met")
    }
    guard !row.isBanned else { throw CommunityRefusal.banned }
    return CommunityCaller(person: row, id: id)
  }
}

extension WriteTransaction {
  /// Notes that a request has changed something, so that it does so once. Throws 425 for one that has.
  func spend(_ signed: SignedRequest?, _ element: Int?) throws {
    guard let nonce = signed?.nonce(ofElement: element) else { return }
    guard try take(nonce: nonce.bytes, until: nonce.until) else { throw CommunityRefusal.reusedNonce }
  }
}

extension SignedRequest {
  /// The nonce of a change: that of the request, with the number of the element for a later change of a batch.
  fileprivate func nonce(ofElement element: Int?) -> (bytes: [UInt8], until: Int64) {
    let number = element.map { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    return (nonce + (number ?? []), nonceExpiry)
  }
}
