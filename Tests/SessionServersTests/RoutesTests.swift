import SessionHTTP
import Testing

@testable import SessionServers

@Suite struct RoutesTests {
  private let routes: Routes = {
    var routes = Routes()
    for (method, pattern) in [
      (HTTPMethod.post, "/file"), (.get, "/file/{id}"), (.post, "/file/{id}/extend"),
      (.get, "/room/{room}/{id}"),
    ] {
      routes.on(method, pattern) { _ in .text(200, "") }
    }
    return routes
  }()

  private func found(_ method: HTTPMethod, _ path: String) throws -> String {
    switch routes.match(method, try #require(HTTPTarget(parsing: path))) {
    case .route(let route, let parameters):
      ([route.pattern] + parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }).joined(separator: " ")
    case .methods(let methods): "not \(methods.map(\.rawValue))"
    case .nothing: "nothing"
    }
  }

  @Test func pathsFindTheirRoutes() throws {
    #expect(try found(.post, "/file") == "/file")
    #expect(try found(.post, "/file/") == "/file")
    #expect(try found(.post, "/file?x=1") == "/file")
    #expect(try found(.get, "/file/a") == "/file/{id} id=a")
    #expect(try found(.head, "/file/a%2Fb") == "/file/{id} id=a/b")
    #expect(try found(.post, "/file/a/extend") == "/file/{id}/extend id=a")
    #expect(try found(.get, "/room/r/5") == "/room/{room}/{id} id=5 room=r")
  }

  @Test func theRootMayHaveARoute() throws {
    var routes = Routes()
    routes.on(.get, "/") { _ in .text(200, "") }
    for (path, isFound) in [("/", true), ("/?x=1", true), ("//", false), ("/a", false)] {
      let match = routes.match(.get, try #require(HTTPTarget(parsing: path)))
      if case .route = match { #expect(isFound, "\(path)") } else { #expect(!isFound, "\(path)") }
    }
  }

  @Test func othersAreNotFound() throws {
    #expect(try found(.get, "/file") == #"not ["POST"]"#)
    #expect(try found(.delete, "/file/a") == #"not ["GET"]"#)
    for path in ["/", "/fil", "//file", "/file//", "/file/a/b", "/FILE/a", "/room//5"] {
      #expect(try found(.get, path) == "nothing", "\(path)")
    }
  }
}
