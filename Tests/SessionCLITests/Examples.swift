/// The accounts that the specification gives.
enum Example {
  static let aliceID = "05d2ad010eeb72d72e561d9de7bd7b6989af77dcabffa03a5111a6c859ae5c3a72"
  static let bobID = "05aa654f00fc39fc69fd0db829410ca38177d7732a8d2f0934ab3872ac56d5aa74"
  static let alicePhrase = "vexed enjoy pigment films adept voted vexed enjoy pigment films adept voted adept"
  static let bobPhrase =
    "python costume hamburger heels amnesty lukewarm antics value picked roped sowed southern amnesty"
  static let phrases = ["alice": alicePhrase + "\n", "bob": bobPhrase + "\n"]
}
