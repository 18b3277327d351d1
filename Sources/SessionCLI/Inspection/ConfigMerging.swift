import SessionCore

/// Tells what several revisions of a config come to, and what becomes of each.
struct ConfigMerging {
  /// A revision, and where it was found.
  struct Revision {
    let name: String
    let document: ConfigDocument
  }

  let revisions: [Revision]
  let group: SessionID?

  /// The result, with a new revision as `shown` shows it.
  func inspect(_ shown: (ConfigDocument) -> Inspection) -> Inspection {
    do {
      let merge = try ConfigDocument.merge(revisions.map(\.document), signedBy: group)
      let fates = revisions.indices.map { index in
        Inspection(
          revisions[index].name,
          value: "revision \(revisions[index].document.revision.sequenceNumber), \(fate(of: index, merge))")
      }
      if let chosen = merge.chosen {
        return Inspection("merged", value: "\(revisions[chosen].name) stands as it is", parts: fates)
      }
      let number = merge.document.revision.sequenceNumber
      return Inspection(
        "merged", value: "a new revision \(number), to be pushed", parts: fates + [shown(merge.document)])
    } catch {
      return Inspection("merged", value: error.message, verdict: .bad)
    }
  }

  private func fate(of index: Int, _ merge: ConfigDocument.Merge) -> String {
    let document = revisions[index].document
    if index == merge.chosen { return "which stands" }
    if group != nil, document.signature != .good { return "left out: its signature is not good" }
    if let other = successor(of: index) { return "superseded by \(other)" }
    if let twin = revisions[..<index].first(where: { $0.document.revision == document.revision }) {
      return "the same as \(twin.name)"
    }
    let latest = revisions.map(\.document.revision.sequenceNumber).max() ?? 0
    if document.revision.sequenceNumber + ConfigDocument.lag <= latest { return "left out: too far behind" }
    return merge.chosen == nil ? "merged" : "left to be merged by an admin"
  }

  /// One that was made from it.
  private func successor(of index: Int) -> String? {
    let revision = revisions[index].document.revision
    let successor = revisions.first { other in
      other.document.earlier.contains(revision) && (group == nil || other.document.signature == .good)
    }
    return successor?.name
  }
}
