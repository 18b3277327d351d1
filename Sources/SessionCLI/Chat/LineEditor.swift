import CEdit
import Glibc
import SessionBase
import SessionTerminal
import Synchronization

/// libedit on a thread of its own.
///
/// It asks for one character at a time. While it waits, what others want shown is put above the line that is being typed:
/// the line is taken off the screen, the text is written, and the line is drawn again below it.
final class LineEditor {
  /// Requests to the editor.
  final class Orders: Sendable {
    enum Order {
      case show(String)
      case setPrompt(String)
      case giveBack(String, isText: Bool)
      case resize
      case end
    }

    private struct State {
      var orders: [Order] = []
      var hasEnded = false
      var unsent = ""
      var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func add(_ order: Order) { state.withLock { $0.orders.append(order) } }

    func take() -> [Order] {
      state.withLock { state in
        defer { state.orders = [] }
        return state.orders
      }
    }

    /// The unsent text, after it has ended.
    var unsent: String { state.withLock { $0.unsent } }

    fileprivate func end(leaving unsent: String) {
      state.withLock { state in
        state.unsent = unsent
        state.hasEnded = true
        return state.waiting.take()
      }?.resume()
    }

    /// Returns when the terminal is as it was.
    func untilEnded() async {
      await withCheckedContinuation { continuation in
        let hasEnded = state.withLock { state in
          if !state.hasEnded { state.waiting = continuation }
          return state.hasEnded
        }
        if hasEnded { continuation.resume() }
      }
    }
  }

  /// The number of lines in the history.
  private static let remembered: Int32 = 500
  /// The least time between two reports of typing.
  private static let tellingPause = Duration.milliseconds(500)

  private let source: WakingInput
  private let orders: Orders
  private let telling: AsyncStream<ChatInput>.Continuation
  private let (input, output): (UnsafeMutablePointer<FILE>, UnsafeMutablePointer<FILE>)
  private let editor: OpaquePointer
  private let history: OpaquePointer
  private var prompt = strdup("> ")
  private var columns = 80
  private var unread: [UInt8] = []
  /// The pasted text so far; nil outside a paste.
  private var pasted: [UInt8]?
  /// True if the line is sent as text although it may begin like a command: it was pasted, or is a draft.
  private var isPlainText = false
  private(set) var unsent = ""
  private var isEnding = false
  private var typed: [wchar_t] = []
  private var toldAt: ContinuousClock.Instant?

  /// Has the editor take the characters of the person's locale. For the start of the program alone: a thread that parses
  /// JSON at that moment would use a locale that this frees.
  static func useLocale() { editing_use_locale() }

  /// Reads lines until it is stopped or the input ends.
  static func start(
    _ source: WakingInput, _ orders: Orders, _ telling: AsyncStream<ChatInput>.Continuation
  ) {
    WorkerQueue("session.chat.editor").post {
      let editor = LineEditor(source, orders, telling)
      editor?.run()
      telling.finish()
      orders.end(leaving: editor?.unsent ?? "")
    }
  }

  private init?(
    _ source: WakingInput, _ orders: Orders, _ telling: AsyncStream<ChatInput>.Continuation
  ) {
    guard let input = fdopen(dup(STDIN_FILENO), "r"), let output = fdopen(dup(STDOUT_FILENO), "w"),
      let editor = el_init_fd(
        "session", input, output, output, fileno(input), fileno(output), fileno(output)),
      let history = history_winit()
    else { return nil }
    (self.source, self.orders, self.telling) = (source, orders, telling)
    (self.input, self.output, self.editor, self.history) = (input, output, editor, history)
    _ = editing_set_user(editor, Unmanaged.passUnretained(self).toOpaque())
    _ = editing_set_prompt(editor) { editor in LineEditor.from(editor)?.prompt }
    _ = editing_set_reader(editor) { editor, out in LineEditor.from(editor)?.read(into: out) ?? -1 }
    _ = editing_use_emacs_keys(editor)
    _ = editing_forget_stopping(editor)
    _ = editing_keep_keys(editor)
    _ = editing_use_history(editor, history, Self.remembered)
    readSize()
  }

  deinit {
    el_end(editor)
    history_wend(history)
    fclose(input)
    fclose(output)
    free(prompt)
  }

  private static func from(_ editor: OpaquePointer?) -> LineEditor? {
    editing_user(editor).map { Unmanaged<LineEditor>.fromOpaque($0).takeUnretainedValue() }
  }

  private func readSize() {
    columns = Terminal.columns(of: STDOUT_FILENO) ?? columns
  }

  // MARK: - Lines

  private func run() {
    var count: Int32 = 0
    put(Self.pasteOn)
    defer { put(Self.pasteOff) }
    while !isEnding, let line = el_wgets(editor, &count), count > 0 {
      let characters = Array(UnsafeBufferPointer(start: line, count: Int(count)))
      let typed = Self.text(characters).filter { !$0.isNewline }
      let text = Self.lines(typed)
      // Erase the typed line; its outcome is shown in its place.
      var layout = LineLayout(columns: columns)
      layout.add(shownPrompt)
      layout.add(typed)
      erase(rows: layout.row + 1)
      toldAt = nil
      self.typed = []
      let isText = isPlainText
      isPlainText = false
      guard !text.isEmpty else { continue }
      // The history does not remember that a line was text: the person could run it as a command by accident.
      if !isText || !text.hasPrefix("/") { editing_remember(history, line) }
      telling.yield(isText ? .text(text) : .line(text))
    }
    // Leave the cursor at the start of the line.
    put("\r\u{1B}[J")
    for case .show(let text) in orders.take() { put(text) }
  }

  private static func text(_ characters: [wchar_t]) -> String {
    var text = String.UnicodeScalarView()
    for character in characters {
      text.append(Unicode.Scalar(UInt32(bitPattern: character)) ?? "\u{FFFD}")
    }
    return String(text)
  }

  /// Represents a line break within the edited line.
  private static let lineEnd: Unicode.Scalar = "\u{2424}"

  /// The text of an edited line.
  private static func lines(_ typed: String) -> String {
    typed.replacing(String(Character(lineEnd)), with: "\n").trimming(while: { $0 == "\n" })
  }

  private var currentLine: String {
    guard let line = el_wline(editor)?.pointee, let start = line.buffer else { return "" }
    return Self.text(Array(UnsafeBufferPointer(start: start, count: line.lastchar - start)))
  }

  private var shownPrompt: String { prompt.map { String(cString: $0) } ?? "" }

  // MARK: - Characters

  private static let tab: UInt8 = 9

  /// Gives libedit its next character.
  private func read(into out: UnsafeMutablePointer<wchar_t>?) -> Int32 {
    while true {
      noteTyping()
      follow(orders.take())
      guard !isEnding else {
        unsent = Self.lines(currentLine)
        return 0
      }
      if let character = nextCharacter() {
        out?.pointee = character
        return 1
      }
      switch source.wait() {
      case .woken: continue
      case .bytes(let bytes): unread += bytes
      case .end:
        isEnding = true
        return 0
      }
    }
  }

  /// The first whole character of what was typed. What is no UTF-8 is replaced.
  private func nextCharacter() -> wchar_t? {
    takePaste()
    guard let first = unread.first else { return nil }
    if first == Self.escape {
      // A paste may begin here, and not all of the sign be here yet.
      guard !Self.pasteBegin.starts(with: unread) else { return nil }
      if let second = unread.dropFirst().first, second == Self.enter || second == Self.lineFeed {
        unread.removeFirst(2)
        return wchar_t(bitPattern: Self.lineEnd.value)
      }
    }
    let length =
      switch first {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    let isCutShort = unread.dropFirst().prefix(length - 1).contains { $0 & 0xC0 != 0x80 }
    guard isCutShort || unread.count >= length else { return nil }
    let bytes = unread.prefix(isCutShort ? 1 : length)
    unread.removeFirst(bytes.count)
    if first == Self.tab { return wchar_t(UInt8(ascii: " ")) }
    let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
    return wchar_t(bitPattern: scalar.value)
  }

  // MARK: - Pasting

  private static let (escape, enter, lineFeed) = (UInt8(0x1B), UInt8(0x0D), UInt8(0x0A))
  private static let (pasteOn, pasteOff) = ("\u{1B}[?2004h", "\u{1B}[?2004l")
  private static let (pasteBegin, pasteEnd) = (Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8))
  /// The longest paste that becomes a part of the line, in bytes; longer ones are files.
  private static let mostPasted = 64 * 1024

  /// Takes what was pasted out of what was read, and puts it into the line once it is whole.
  private func takePaste() {
    while true {
      if pasted == nil, unread.starts(with: Self.pasteBegin) {
        unread.removeFirst(Self.pasteBegin.count)
        pasted = []
      }
      guard let before = pasted else { return }
      let all = before + unread
      guard let end = all.firstRange(of: Self.pasteEnd) else {
        // No more is kept than shows that it is too long.
        let tail = all.suffix(Self.pasteEnd.count)
        pasted = all.count > Self.mostPasted ? Array(all.prefix(Self.mostPasted + 1)) + tail : all
        unread = []
        return
      }
      pasted = nil
      unread = Array(all[end.upperBound...])
      insert(paste: Array(all[..<end.lowerBound]))
    }
  }

  private func insert(paste bytes: [UInt8]) {
    guard bytes.count <= Self.mostPasted else {
      follow([.show("The pasted text is too long for a message: /attach FILE sends it as a file.\n")])
      return
    }
    let isFirst = currentLine.isEmpty
    insert(String(decoding: bytes, as: UTF8.self))
    if isFirst, !currentLine.isEmpty { isPlainText = true }
    editing_refresh(editor)
  }

  /// Puts a text where the cursor is, without what would be a key, and without the ends of lines behind it.
  private func insert(_ text: String) {
    let text = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    var characters: [wchar_t] = []
    for scalar in text.trimming(while: { $0 == "\n" }).unicodeScalars {
      switch scalar {
      case "\n": characters.append(wchar_t(bitPattern: Self.lineEnd.value))
      case "\t": characters.append(wchar_t(UInt8(ascii: " ")))
      case _ where scalar.properties.generalCategory == .control: break
      default: characters.append(wchar_t(bitPattern: scalar.value))
      }
    }
    guard !characters.isEmpty else { return }
    editing_insert(editor, characters + [0])
  }

  /// Tells whether a message is being typed, when that is new or was told a moment ago.
  private func noteTyping() {
    guard let line = el_wline(editor)?.pointee, let start = line.buffer else { return }
    let characters = Array(UnsafeBufferPointer(start: start, count: line.lastchar - start))
    guard characters != typed else { return }
    typed = characters
    if characters.isEmpty { isPlainText = false }
    let isMessage = !characters.isEmpty && characters[0] != wchar_t(UInt8(ascii: "/"))
    guard isMessage else {
      if toldAt.take() != nil { telling.yield(.typing(false)) }
      return
    }
    if let toldAt, ContinuousClock.now - toldAt < Self.tellingPause { return }
    toldAt = .now
    telling.yield(.typing(true))
  }

  // MARK: - The screen

  private func follow(_ orders: [Orders.Order]) {
    guard !orders.isEmpty else { return }
    if orders.contains(where: \.isResizing) {
      readSize()
      el_resize(editor)
    }
    erase(rows: cursorRow)
    for order in orders {
      switch order {
      case .show(let text): put(text)
      case .setPrompt(let text):
        free(prompt)
        prompt = strdup(text)
      case .giveBack(let text, let isText):
        guard currentLine.isEmpty else { break }
        insert(text)
        isPlainText = isText
      case .resize: break
      case .end: isEnding = true
      }
    }
    if !isEnding { editing_refresh(editor) }
  }

  /// The row of the typed line that has the cursor.
  private var cursorRow: Int {
    var layout = LineLayout(columns: columns)
    layout.add(shownPrompt)
    if let line = el_wline(editor)?.pointee, let start = line.buffer {
      layout.add(UnsafeBufferPointer(start: start, count: line.cursor - start))
    }
    return layout.row
  }

  /// Takes everything off the screen from so many rows above the cursor.
  private func erase(rows: Int) { put("\r" + (rows > 0 ? "\u{1B}[\(rows)A" : "") + "\u{1B}[J") }

  private func put(_ text: String) {
    fputs(text, output)
    fflush(output)
  }
}

extension LineEditor.Orders.Order {
  fileprivate var isResizing: Bool { if case .resize = self { true } else { false } }
}

extension String {
  /// The text without the characters at its beginning and its end that fit.
  fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> String {
    var text = self[...]
    while let first = text.first, isTrimmed(first) { text.removeFirst() }
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return String(text)
  }
}
