internal import CSessionCore

/// Something that could not be exported or imported, or only in part.
public struct ArchiveProblem: Hashable, Sendable {
  public let kind: String
  public let item: String
  public let detail: String

  public init(kind: String, item: String, detail: String) {
    self.kind = kind
    self.item = item
    self.detail = detail
  }

  init(_ core: sc_archive_problem) {
    self.init(kind: core.kind.string, item: core.item.string, detail: core.detail.string)
  }

  func core(in arena: CoreArena) -> sc_archive_problem {
    sc_archive_problem(kind: arena.text(kind), item: arena.text(item), detail: arena.text(detail))
  }
}
