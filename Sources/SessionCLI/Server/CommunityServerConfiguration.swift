import SessionBase
import SessionCore
import SessionHTTP
import SessionServers
import SessionService
import SessionStorage

/// The configuration file of a community server.
struct CommunityServerConfiguration: Sendable {
  private static let mib = 1024 * 1024
  private static let day: Int64 = 86_400_000

  static let keys: [ConfigKey] =
    [
      .init(
        name: "folder", kind: .text, summary: "the folder of the server's key, database and files",
        isRequired: true),
      .init(
        name: "database", kind: .text,
        summary: "a PostgreSQL database, such as postgresql://USER@HOST/NAME; a file in the folder by default"
      ),
      .init(
        name: "files", kind: .text,
        summary: "the folder of files, which processes share; in PostgreSQL by default, or else in the folder"
      ),
      .init(
        name: "listen", kind: .texts, summary: "the addresses and ports where it listens for HTTP",
        isRequired: true),
      .init(
        name: "url", kind: .text,
        summary: "its URL for clients, such as https://chat.example; derived from listen by default"),
      .init(
        name: "tls_certificate", kind: .text,
        summary: "the file of its certificate, in PEM form, if it speaks TLS itself"),
      .init(name: "tls_key", kind: .text, summary: "the file of the key of that certificate"),
      .init(
        name: "blinding", kind: .choice(CommunityServer.Options.Blinding.allCases.map(\.rawValue)),
        summary: "the ids that it takes: blinded ones of one kind or both, or none required; both by default"),
      .init(
        name: "trusted_proxies", kind: .texts,
        summary: "addresses of proxies in front of it, whose X-Forwarded-For is believed"),
    ] + limits + paces + letters + filters + [
      .init(
        name: "metrics", kind: .text,
        summary: "the loopback address and port where it serves /metrics for Prometheus, and /health"),
      .log, .logFormat,
    ]

  private static let limits: [ConfigKey] = [
    .init(
      name: "active_days", kind: .integer(1...365),
      summary: "days in which somebody must have read a room to count as active; 7 by default"),
    .init(
      name: "max_file_bytes", kind: .integer(1...CommunityServer.Options.maxFileBytes),
      summary: "the size limit of a file, in bytes; 10000000 by default"),
    .init(
      name: "max_store_mib", kind: .integer(1...1_073_741_824),
      summary: "the size limit of all files together, in MiB; 65536 by default"),
    .init(
      name: "max_room_mib", kind: .integer(1...1_073_741_824),
      summary: "the size limit of all files of a room together, in MiB; none by default"),
    .init(
      name: "file_days", kind: .integer(0...3650),
      summary: "days that files of messages are kept; 15 by default, 0 for ever"),
    .init(
      name: "history_days", kind: .integer(0...365),
      summary: "days that you can see what moderators deleted; 30 by default"),
    .init(
      name: "own_history_days", kind: .integer(0...365),
      summary: "days that you can see what authors deleted or edited; 0 by default"),
    .init(
      name: "max_memory_mib", kind: .integer(32...65_536),
      summary: "the memory limit of concurrent requests, in MiB; further requests wait; 256 by default"),
  ]

  private static let paces: [ConfigKey] = [
    .init(
      name: "posts_at_once", kind: .integer(1...1000),
      summary: "posts and edits that a person may make in a room within posts_seconds; 5 by default"),
    .init(
      name: "posts_seconds", kind: .integer(1...86_400),
      summary: "the seconds in which posts_at_once counts; 16 by default"),
    .init(
      name: "posts_per_day", kind: .integer(1...1_000_000),
      summary: "posts that a person may make in a day; 300 by default"),
    .init(
      name: "changes_per_minute", kind: .integer(1...100_000),
      summary: "edits, deletions and reactions that a person may make in a minute; 60 by default"),
    .init(
      name: "requests_per_second", kind: .integer(1...100_000),
      summary: "signed requests that a person may make in a second; 20 by default"),
    .init(
      name: "requests_at_once", kind: .integer(1...100_000),
      summary: "signed requests that a person may make at once; 100 by default"),
    .init(
      name: "anonymous_per_second", kind: .integer(1...100_000),
      summary: "requests without an id in a second through the network, all together; 50 by default"),
    .init(
      name: "anonymous_per_address", kind: .integer(1...100_000),
      summary: "requests without an id in a second from one address; 5 by default"),
    .init(
      name: "newcomers_per_minute", kind: .integer(1...100_000),
      summary: "people who may come for the first time in a minute; 100 by default"),
    .init(
      name: "uploads_per_day", kind: .integer(1...1_000_000),
      summary: "files that a person may upload in a day; 200 by default"),
    .init(
      name: "upload_mb_per_day", kind: .integer(1...1_000_000),
      summary: "megabytes that a person may upload in a day; 500 by default"),
    .init(
      name: "newcomer_uploads_per_day", kind: .integer(1...1_000_000),
      summary: "files that a person may upload on their first day; 20 by default"),
    .init(
      name: "newcomer_mb_per_day", kind: .integer(1...1_000_000),
      summary: "megabytes that a person may upload on their first day; 50 by default"),
    .init(
      name: "max_rooms", kind: .integer(1...100_000), summary: "rooms that you may add; 1000 by default"),
    .init(
      name: "max_moderators", kind: .integer(1...100_000),
      summary: "moderators and admins that a room may have; 500 by default"),
    .init(name: "max_pins", kind: .integer(1...1000), summary: "pinned messages of a room; 25 by default"),
    .init(
      name: "max_connections", kind: .integer(16...65_536), summary: "connections at a time; 1024 by default"
    ),
    .init(
      name: "max_request_kib", kind: .integer(160...9765),
      summary: "the size limit of a request other than a batch or a file, in KiB; 256 by default"),
    .init(
      name: "max_batch_kib", kind: .integer(160...9765),
      summary: "the size limit of a batch of requests, in KiB; 1024 by default"),
    .init(
      name: "max_work_seconds", kind: .integer(1...600),
      summary: "seconds that the work for a request may take; 10 by default"),
  ]

  private static let filters: [ConfigKey] = [
    .init(
      name: "filter_words", kind: .text,
      summary: "a file of words that are not to be said, one a line; * at an end stands for any letters"),
    .init(
      name: "filter_words_outcome", kind: .choice(FilterRules.Outcome.allCases.map(\.rawValue)),
      summary: "refuse such messages, or show them to their author alone; refuse by default"),
    .init(
      name: "filter_alphabets", kind: .texts,
      summary:
        "alphabets that are not to be used: arabic, persian, cyrillic, or a script such as greek"),
    .init(
      name: "filter_links", kind: .texts,
      summary: "the only hosts that links may lead to; all by default"),
    .init(
      name: "filter_program", kind: .text,
      summary: "a program that looks at messages: it reads and writes lines of JSON"),
    .init(
      name: "filter_program_failure", kind: .choice(["accept", "refuse"]),
      summary: "what happens to messages while that program does not answer; accept by default"),
    .init(
      name: "filter_reply", kind: .texts,
      summary:
        "replies to authors of caught messages, one at random; \\@ mentions them, \\r is the room"),
    .init(
      name: "filter_reply_public", kind: .boolean,
      summary: "true if everybody sees the reply; by default only the author does"),
    .init(name: "filter_reply_name", kind: .text, summary: "who replies; Filter by default"),
    .init(
      name: "filter_moderators", kind: .boolean,
      summary: "true if moderators are filtered, too; false by default"),
    .init(
      name: "web_index", kind: .boolean,
      summary: "true if there is a page with all public rooms; true by default"),
    .init(
      name: "web_recent", kind: .boolean,
      summary: "true if the pages of public rooms show the newest messages; true by default"),
  ]

  private static let letters: [ConfigKey] = [
    .init(name: "dm", kind: .boolean, summary: "true if people may write to each other; true by default"),
    .init(
      name: "dm_days", kind: .integer(1...365),
      summary: "days that messages between two people are kept; 15 by default"),
    .init(
      name: "dm_from_banned",
      kind: .choice(CommunityServer.Options.Letters.FromBanned.allCases.map(\.rawValue)),
      summary: "messages of people who are banned from a room of the recipient; discard by default"),
    .init(
      name: "dm_new_recipients_per_day", kind: .integer(0...10_000),
      summary: "people to whom a person may write for the first time in a day; 20 by default"),
    .init(
      name: "dm_per_hour", kind: .integer(0...100_000),
      summary: "messages that a person may send to others in an hour; 120 by default"),
    .init(
      name: "dm_min_posts", kind: .integer(0...1_000_000),
      summary: "posts that a person must have made to write to others; 0 by default"),
    .init(
      name: "dm_min_age_minutes", kind: .integer(0...5_256_000),
      summary: "minutes that a person must have been here to write to others; 0 by default"),
  ]

  let options: CommunityServer.Options

  var folder: String { options.folder }

  init(_ path: String, io: CommandIO) throws {
    let file = try Configuration(path, keys: Self.keys, topic: Topic.communityServerConfig.name, io: io)
    guard let folder = file.file("folder"), let texts = file.texts("listen") else {
      preconditionFailure("a required setting is missing")
    }
    let addresses = texts.compactMap { try? NetworkAddress(parsing: $0) }
    guard addresses.count == texts.count, !addresses.isEmpty else {
      throw file.mistake("listen", "a list of addresses and ports, such as [\"192.0.2.1:80\", \"[::]:80\"]")
    }
    var options = CommunityServer.Options(folder: folder, addresses: addresses)
    if let url = file.text("url") {
      guard isServerURL(url) else { throw file.mistake("url", serverURLWords) }
      options.url = url
    }
    if let address = file.text("database") {
      do { options.database = try PostgreSQLAddress(address) } catch {
        throw file.mistake("database", "no database: \(error.message)")
      }
    }
    options.files = file.file("files")
    options.metricsAddress = try file.address("metrics")
    guard options.metricsAddress?.isLoopback ?? true else {
      throw file.mistake("metrics", "an address of loopback, such as 127.0.0.1:9090")
    }
    if let certificate = file.file("tls_certificate"), let key = file.file("tls_key") {
      guard let address = addresses.first else { preconditionFailure("there is no address") }
      options.tls = try CertificateFiles(certificate: certificate, key: key).identity(for: address)
    } else if file.text("tls_certificate") != nil || file.text("tls_key") != nil {
      throw file.mistake("tls_certificate", "of no use without tls_key, and the other way round")
    }
    if let word = file.text("blinding"), let blinding = CommunityServer.Options.Blinding(rawValue: word) {
      options.blinding = blinding
    }
    if let texts = file.texts("trusted_proxies") {
      options.trustedProxies = texts.compactMap { host in
        try? NetworkAddress(parsing: host.contains(":") ? "[\(host)]:0" : "\(host):0")
      }
      guard options.trustedProxies.count == texts.count else {
        throw file.mistake("trusted_proxies", "a list of addresses without ports")
      }
    }
    Self.readLimits(file, into: &options)
    Self.readPaces(file, into: &options)
    Self.readLetters(file, into: &options)
    try Self.readFilter(file, into: &options)
    options.log = try file.log(to: io)
    self.options = options
  }

  private static func readLimits(_ file: Configuration, into options: inout CommunityServer.Options) {
    if let days = file.integer("active_days") { options.activeSpan = Int64(days) * day }
    if let bytes = file.integer("max_file_bytes") { options.maxFileBytes = bytes }
    if let size = file.integer("max_store_mib") { options.maxFileStore = size * mib }
    if let size = file.integer("max_room_mib") { options.maxRoomFiles = size * mib }
    if let days = file.integer("file_days") { options.fileLifetime = days == 0 ? nil : Int64(days) * day }
    if let days = file.integer("history_days") { options.historyDays = days }
    if let days = file.integer("own_history_days") { options.ownHistoryDays = days }
    if let size = file.integer("max_memory_mib") { options.memory = size * mib }
  }

  private static func readPaces(_ file: Configuration, into options: inout CommunityServer.Options) {
    if let count = file.integer("posts_at_once") {
      options.postLimit = .init(count, within: options.postLimit.span)
    }
    if let seconds = file.integer("posts_seconds") {
      options.postLimit = .init(options.postLimit.count, within: Int64(seconds) * 1000)
    }
    if let count = file.integer("posts_per_day") { options.postsPerDay = count }
    if let count = file.integer("changes_per_minute") { options.requests.changesPerMinute = Double(count) }
    if let count = file.integer("requests_per_second") { options.requests.perPerson = Double(count) }
    if let count = file.integer("requests_at_once") { options.requests.burst = Double(count) }
    if let count = file.integer("anonymous_per_second") { options.requests.anonymous = Double(count) }
    if let count = file.integer("anonymous_per_address") { options.requests.perAddress = Double(count) }
    if let count = file.integer("newcomers_per_minute") {
      options.requests.newcomersPerMinute = Double(count)
    }
    if let count = file.integer("uploads_per_day") { options.uploads.files = count }
    if let size = file.integer("upload_mb_per_day") { options.uploads.bytes = size * 1_000_000 }
    if let count = file.integer("newcomer_uploads_per_day") { options.uploads.newcomerFiles = count }
    if let size = file.integer("newcomer_mb_per_day") {
      options.uploads.newcomerBytes = size * 1_000_000
    }
    if let count = file.integer("max_rooms") { options.maxRooms = count }
    if let count = file.integer("max_moderators") { options.maxModerators = count }
    if let count = file.integer("max_pins") { options.maxPins = count }
    if let count = file.integer("max_connections") { options.maxConnections = count }
    if let size = file.integer("max_request_kib") { options.maxRequestBytes = size * 1024 }
    if let size = file.integer("max_batch_kib") { options.maxBatchBytes = size * 1024 }
    if let seconds = file.integer("max_work_seconds") { options.maxWork = .seconds(seconds) }
  }

  private static func readFilter(
    _ file: Configuration, into options: inout CommunityServer.Options
  ) throws {
    if let path = file.file("filter_words") {
      let text = try OpenFile(reading: path).readAll(upTo: 1_000_000)
      options.filter.words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
        .map { String($0) }
    }
    if let word = file.text("filter_words_outcome"), let outcome = FilterRules.Outcome(rawValue: word) {
      options.filter.wordsOutcome = outcome
    }
    if let words = file.texts("filter_alphabets") {
      let alphabets = words.compactMap { FilterRules.Alphabet($0) }
      guard alphabets.count == words.count else {
        throw file.mistake(
          "filter_alphabets", "a list of arabic, persian, cyrillic and scripts of Unicode, such as greek")
      }
      options.filter.alphabets = Set(alphabets)
    }
    if let hosts = file.texts("filter_links") {
      options.filter.linkHosts = Set(hosts.map { $0.lowercased() })
    }
    options.filter.program = file.file("filter_program")
    options.filter.refusesWithoutProgram = file.text("filter_program_failure") == "refuse"
    if let replies = file.texts("filter_reply") { options.filter.replies = replies }
    if let isPublic = file.boolean("filter_reply_public") { options.filter.repliesArePublic = isPublic }
    if let name = file.text("filter_reply_name") { options.filter.replyName = name }
    if let applies = file.boolean("filter_moderators") { options.filter.appliesToModerators = applies }
    if let shows = file.boolean("web_index") { options.showsIndex = shows }
    if let shows = file.boolean("web_recent") { options.showsRecent = shows }
  }

  private static func readLetters(_ file: Configuration, into options: inout CommunityServer.Options) {
    if let areAllowed = file.boolean("dm") { options.letters.areAllowed = areAllowed }
    if let days = file.integer("dm_days") { options.letters.lifetime = Int64(days) * day }
    if let word = file.text("dm_from_banned"),
      let rule = CommunityServer.Options.Letters.FromBanned(rawValue: word)
    {
      options.letters.fromBanned = rule
    }
    if let count = file.integer("dm_new_recipients_per_day") { options.letters.newRecipientsPerDay = count }
    if let count = file.integer("dm_per_hour") { options.letters.perHour = count }
    if let count = file.integer("dm_min_posts") { options.letters.minPosts = Int64(count) }
    if let minutes = file.integer("dm_min_age_minutes") { options.letters.minAge = Int64(minutes) * 60_000 }
  }
}

extension CommunityServer.Options {
  /// Files that are open apart from those of connections.
  private static let otherFiles = 64
  private static let minConnections = 16

  /// The same, with no more connections than so many open files allow: one that uploads needs two.
  func fitting(files: Int) -> CommunityServer.Options {
    let most = max((files - Self.otherFiles) / 2, Self.minConnections)
    guard maxConnections > most else { return self }
    log(
      .warning, "the limit of open files allows fewer connections than max_connections",
      ["files": "\(files)", "connections": "\(most)"])
    var options = self
    options.maxConnections = most
    return options
  }
}

extension Topic {
  static let communityServerConfig = Topic(
    name: "community-server-config",
    summary: "the configuration file of 'session server community run'",
    discussion: "The syntax is that of 'session help node-config'.",
    rows: CommunityServerConfiguration.keys.map { ($0.name, $0.summary) },
    examples: [
      .init(
        line: "session server community init --dir chat --listen 192.0.2.5:80 --url http://chat.example",
        summary: "create a configuration file")
    ])
}
