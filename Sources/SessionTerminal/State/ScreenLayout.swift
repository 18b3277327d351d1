/// Where the regions of the screen are.
struct ScreenLayout: Hashable {
  /// Nil where one region is shown at a time, and it is another one.
  var list: Rect?
  var listHead: Rect?
  var conversationHead: Rect?
  var messages: Rect?
  var composer: Rect?
  var details: Rect?
  var hint: Rect
  /// The column between the list and the conversation.
  var divider: Int?
  /// The row above the composer, and the one below the heads.
  var lines: [Int] = []

  static let (leastColumns, leastRows) = (20, 6)
  private static let narrow = 60
  private static let wide = 120
  static let listWidths = 24...36
  private static let detailsWidth = 34
  static let composerRows = 10

  /// Nil for a screen that is too small.
  init?(_ state: UIState) {
    let (columns, rows) = (state.size.columns, state.size.rows)
    guard columns >= Self.leastColumns, rows >= Self.leastRows else { return nil }
    hint = Rect(x: 0, y: rows - 1, width: columns, height: 1)
    guard columns >= Self.narrow else {
      let showsList = state.focus == .list || state.open == nil
      if showsList {
        listHead = Rect(x: 0, y: 0, width: columns, height: 1)
        list = Rect(x: 0, y: 1, width: columns, height: rows - 2)
      } else {
        let height = Self.composerHeight(state, columns: columns - 3, rows: rows)
        conversationHead = Rect(x: 0, y: 0, width: columns, height: 1)
        messages = Rect(x: 0, y: 1, width: columns, height: rows - 2 - height)
        composer = Rect(x: 0, y: rows - 1 - height, width: columns, height: height)
      }
      return
    }
    let listWidth = min(max(state.listWidth, Self.listWidths.lowerBound), Self.listWidths.upperBound)
    let hasDetails = state.showsDetails && columns >= Self.wide && state.open != nil
    let middle = columns - listWidth - 1 - (hasDetails ? Self.detailsWidth + 1 : 0)
    let height = state.open == nil ? 1 : Self.composerHeight(state, columns: middle - 3, rows: rows)
    let bodyRows = rows - 4 - height
    divider = listWidth
    lines = [1, rows - 2 - height]
    listHead = Rect(x: 0, y: 0, width: listWidth, height: 1)
    list = Rect(x: 0, y: 2, width: listWidth, height: bodyRows)
    conversationHead = Rect(x: listWidth + 1, y: 0, width: middle, height: 1)
    messages = Rect(x: listWidth + 1, y: 2, width: middle, height: bodyRows)
    composer = Rect(x: listWidth + 1, y: rows - 1 - height, width: middle, height: height)
    if hasDetails {
      details = Rect(x: listWidth + 2 + middle, y: 2, width: Self.detailsWidth, height: bodyRows)
    }
  }

  /// The rows of the composer: those of its text, and one for what it answers, edits or sends beside it.
  private static func composerHeight(_ state: UIState, columns: Int, rows: Int) -> Int {
    let text = state.draft.composer.rows(columns: columns).rows.count
    let wanted = text + (state.draft.hasHead ? 1 : 0)
    return max(min(wanted, composerRows, (rows - 3) / 2), 1)
  }
}
