/// Texts as people compare them who do not look closely: without case and accents.
package enum BareText {
  package static func of(_ text: String) -> String {
    String(decoding: SearchWords.bare(SearchWords.fold(text)), as: UTF8.self)
  }
}
