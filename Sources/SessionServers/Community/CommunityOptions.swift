import SessionBase
public import SessionCore
public import SessionHTTP
public import SessionService
public import SessionStorage

extension CommunityServer {
  public struct Options: Sendable {
    /// The ids that a server takes.
    public enum Blinding: String, CaseIterable, Sendable {
      /// Ids of accounts, too.
      case none
      /// Blinded ids of the first scheme.
      case only15 = "15"
      /// Blinded ids of the second scheme.
      case only25 = "25"
      /// Blinded ids of both schemes.
      case both

      func accepts(_ kind: SessionID.Kind) -> Bool {
        switch kind {
        case .unblinded: self == .none
        case .blinded15: self != .only25
        case .blinded25: self != .only15
        default: false
        }
      }
    }

    /// So many events within so many milliseconds.
    public struct Pace: Hashable, Sendable {
      public let count: Int
      public let span: Int64

      public init(_ count: Int, within span: Int64) { (self.count, self.span) = (count, span) }
    }

    /// How many requests are taken: of each person and each address a second unless it says otherwise.
    public struct RequestLimits: Hashable, Sendable {
      public var perPerson = 20.0
      /// Requests of a person at once.
      public var burst = 100.0
      /// Anonymous requests through the network, of everybody together.
      public var anonymous = 50.0
      /// Anonymous requests of an address.
      public var perAddress = 5.0
      public var newcomersPerMinute = 100.0
      /// Edits, deletions and reactions of a person.
      public var changesPerMinute = 60.0

      public init() {}
    }

    /// What a person may upload in a day, also in the first one.
    public struct Uploads: Hashable, Sendable {
      public var files, bytes, newcomerFiles, newcomerBytes: Int

      public init(
        files: Int = 200, bytes: Int = 500_000_000, newcomerFiles: Int = 20, newcomerBytes: Int = 50_000_000
      ) {
        (self.files, self.bytes) = (files, bytes)
        (self.newcomerFiles, self.newcomerBytes) = (newcomerFiles, newcomerBytes)
      }
    }

    /// Messages between two people.
    public struct Letters: Hashable, Sendable {
      /// What happens to those of somebody who is banned from a room that the recipient reads.
      public enum FromBanned: String, CaseIterable, Sendable {
        case discard, refuse, allow
      }

      public var areAllowed = true
      public var fromBanned = FromBanned.discard
      public var newRecipientsPerDay = 20
      public var perHour = 120
      /// Posts that a sender must have made.
      public var minPosts: Int64 = 0
      /// Milliseconds that a sender must have been here.
      public var minAge: Int64 = 0
      /// Milliseconds that they are kept.
      public var lifetime: Int64 = 15 * 86_400_000

      public init() {}
    }

    /// The largest file of all clients.
    public static let maxFileBytes = 10_000_000

    /// The folder of the key, the database and the files.
    public var folder: String
    /// The database of a PostgreSQL server, for several processes; nil for a file in the folder.
    public var database: PostgreSQLAddress?
    /// The folder of the content of files, which all processes with the same database share. If nil, files are in `folder`,
    /// or in rows with a database of PostgreSQL.
    public var files: String?
    /// The addresses where it listens, at least one; port 0 lets the system choose.
    public var addresses: [NetworkAddress]
    /// Its URL for clients; derived from the first address if nil. Begins with "http://" or "https://".
    public var url: String?
    /// The certificate with which it speaks TLS.
    public var tls: TLSIdentity?
    public var blinding = Blinding.both
    /// The hosts of proxies in front of the server, which tell the addresses of clients.
    public var trustedProxies: [NetworkAddress] = []
    /// Milliseconds in which somebody has to read a room to count as active in it.
    public var activeSpan: Int64 = 7 * 86_400_000
    /// Posts of a person in a room; admins may make more.
    public var postLimit = Pace(5, within: 16_000)
    /// Posts of a person in a day.
    public var postsPerDay = 300
    /// What is not to be said.
    public var filter = FilterRules()
    /// True if there is a page with all public rooms, and if pages of rooms show the newest messages.
    public var showsIndex = true
    public var showsRecent = true
    public var requests = RequestLimits()
    public var uploads = Uploads()
    public var letters = Letters()
    /// Bytes of a file.
    public var maxFileBytes = maxFileBytes
    /// Bytes of all files.
    public var maxFileStore = 64 * 1024 * 1024 * 1024
    /// Bytes of the files of a room; nil for any number.
    public var maxRoomFiles: Int?
    /// Milliseconds that the file of a message is kept; nil for ever.
    public var fileLifetime: Int64? = 15 * 86_400_000
    /// Pinned messages of a room.
    public var maxPins = 25
    /// Rooms of the server.
    public var maxRooms = 1000
    /// People with a role in a room.
    public var maxModerators = 500
    /// Days that the operator can see what moderators deleted.
    public var historyDays = 30
    /// Days that the operator can see what authors deleted or edited.
    public var ownHistoryDays = 0
    /// Connections at a time.
    public var maxConnections = 1024
    /// Bytes of a request in JSON, and of a batch.
    public var maxRequestBytes = 256 * 1024
    public var maxBatchBytes = 1024 * 1024
    /// How long one request may read, or each of its statements with PostgreSQL, and how long the requests of a
    /// batch are worked on. A change that has begun is completed.
    public var maxWork: Duration = .seconds(10)
    /// Bytes that requests, their answers and remembered pages may take at a time; requests beyond wait.
    public var memory = 256 * 1024 * 1024
    /// The interval of what is done from time to time.
    public var upkeepInterval: Duration = .seconds(10)
    /// The address for Prometheus metrics; nil for none.
    public var metricsAddress: NetworkAddress?
    public var log = ServiceLog.silent
    /// Milliseconds since 1970.
    public var wallClock: @Sendable () -> UInt64 = { MachineClock.wallMilliseconds }

    public init(folder: String, addresses: [NetworkAddress]) {
      self.folder = folder
      self.addresses = addresses
    }

    /// True if the content of new files goes into rows.
    var storesFilesInRows: Bool { database != nil && files == nil }

    /// The capabilities that the server announces, sorted.
    var capabilities: [String] {
      var names = ["sogs", "reactions", "members", "bans", "audit", "wait"]
      if blinding != .none { names.append("blind") }
      if blinding != .only15 { names.append("blind25") }
      return names.sorted()
    }
  }
}
