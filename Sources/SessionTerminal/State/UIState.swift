/// All that the interface knows. Events change it and cause effects; drawing only reads it.
package struct UIState: Sendable {
  package enum Focus: Hashable, Sendable {
    case list, messages, composer
  }

  enum Filter: String, CaseIterable, Sendable {
    case all, unread, mentions, people, groups, rooms
  }

  struct Notice: Hashable, Sendable {
    var text: String
    var isFailure: Bool
    var until: Int64
  }

  package internal(set) var size: ScreenSize
  /// Milliseconds since 1970.
  package internal(set) var now: Int64
  /// The name of the account.
  package let account: String
  package var calendar: LocalCalendar
  package var keys = KeyMap.usual
  package var hasBoxes = true
  /// The longest text of a message, in characters.
  package var maxCharacters = 2000

  var conversations: [ListedConversation] = [] {
    didSet {
      positions = Dictionary(
        conversations.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first }
      )
    }
  }
  /// The places of the conversations by their ids.
  private var positions: [String: Int] = [:]
  /// The ids in the order in which they are listed.
  var order: [String] = []
  /// True if the list waits to be put into another order.
  var isOrderOld = false
  var requests: [ListedConversation] = []
  var listCursor: String?
  var filter = Filter.all
  var listsUnreadFirst = false
  /// What the list is narrowed to by name; nil outside of that.
  var narrowing: Composer?
  var listWidth = 30
  var showsDetails = false
  package internal(set) var focus = Focus.list
  package internal(set) var open: OpenConversation?
  /// The conversation that was open before.
  var lastOpen: String?
  var drafts: [String: Draft] = [:]
  /// The conversations whose kept draft is known; what is written since goes before it.
  var knownDrafts: Set<String> = []
  package internal(set) var panel: Panel?
  /// The words that are highlighted in the conversation.
  var found: String?
  var connection: UIConnection?
  var isHolderThere = true
  var notice: Notice?
  /// The shares of files that are on their way.
  var transfers: [Int64: Double] = [:]
  var routes: [NetworkRoute] = []
  var networkLines: [String] = []
  var showsWholeAddresses = false

  /// True while the terminal has the focus; nil if it does not say.
  var hasFocus: Bool?
  var lastKeyAt: Int64 = 0
  /// When what is shown counts as read.
  var readAt: Int64?
  /// The newest message that was on the screen when that second began.
  var readTarget: Int64 = 0
  var draftAt: Int64?
  var draftOf: String?
  var typingToldAt: Int64?
  /// Until when a second Ctrl-C leaves.
  var leavingUntil: Int64?

  var effects: [UIEffect] = []

  package init(account: String, size: ScreenSize, now: Int64, calendar: LocalCalendar = .system) {
    (self.account, self.size, self.now, self.calendar) = (account, size, now, calendar)
  }

  // MARK: - Times

  static let noticeTime: Int64 = 6000
  static let orderPause: Int64 = 3000
  static let readPause: Int64 = 1000
  static let attention: Int64 = 30_000
  static let draftPause: Int64 = 300
  static let typingPause: Int64 = 500
  static let leavePause: Int64 = 2000

  /// When a tick is needed; nil while nothing waits for time.
  package var nextTick: Int64? {
    var times = [readAt, draftAt, notice?.until, leavingUntil].compactMap(\.self)
    if isOrderOld { times.append(lastKeyAt + Self.orderPause) }
    if let next = nextTimer { times.append(next) }
    return times.min()
  }

  /// When a time on the screen changes: those of messages that disappear soon.
  private var nextTimer: Int64? {
    guard let open else { return nil }
    let soon = open.messages.compactMap(\.disappearsAt).filter { $0 > now }.min()
    guard let soon, soon - now < 3_600_000 else { return nil }
    return soon - now < 60_000 ? now + 1000 : now + 60_000
  }

  // MARK: - What is there

  func conversation(_ id: String) -> ListedConversation? {
    positions[id].map { conversations[$0] } ?? requests.first { $0.id == id }
  }

  var openConversation: ListedConversation? { open.flatMap { conversation($0.id) } }

  var draft: Draft { open.flatMap { drafts[$0.id] } ?? Draft() }

  var unread: Int { conversations.reduce(0) { $0 + ($1.isMuted ? 0 : $1.unread) } }

  /// The conversations in the list, as they are filtered and narrowed.
  var listed: [ListedConversation] {
    var shown = order.compactMap { id in positions[id].map { conversations[$0] } }
    switch filter {
    case .all: break
    case .unread: shown = shown.filter(\.isUnread)
    case .mentions: shown = shown.filter { $0.mentions > 0 }
    case .people: shown = shown.filter { $0.kind == .person || $0.kind == .noteToSelf }
    case .groups: shown = shown.filter { $0.kind == .group }
    case .rooms: shown = shown.filter { $0.kind == .room }
    }
    if let name = narrowing?.text.lowercased(), !name.isEmpty {
      shown = shown.filter { $0.name.lowercased().contains(name) }
    }
    return shown
  }

  mutating func reorder() {
    isOrderOld = false
    let pinned = conversations.filter(\.isPinned)
    let others = conversations.filter { !$0.isPinned }
    let unread = listsUnreadFirst ? others.filter(\.isUnread) : []
    let rest = listsUnreadFirst ? others.filter { !$0.isUnread } : others
    order = (pinned + unread + rest).map(\.id)
  }

  mutating func tell(_ text: String, isFailure: Bool = false) {
    notice = Notice(text: text, isFailure: isFailure, until: now + Self.noticeTime)
  }
}
