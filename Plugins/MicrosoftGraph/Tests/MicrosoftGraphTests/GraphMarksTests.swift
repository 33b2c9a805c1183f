import MailKernelAPI
import Testing

@testable import MicrosoftGraph

/// ACC-128: Microsoft's marks are keywords.
@Suite("Categories and keywords") struct GraphMarksTests {
    @Test(arguments: ["Red category", "Privé", "a~b_c", "日本", "(x)", "1/2", "\"%\\"])
    func aCategoryIsAKeywordAndBack(_ category: String) throws {
        let keyword = try #require(Category.keyword(category))
        #expect(
            keyword.rawValue.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"(){]%*\"\\".utf8.contains($0) }
        )
        #expect(Category.name(keyword) == category.lowercased() && Category.isKept(keyword))
    }

    @Test func whatCannotBeWrittenIsNotKept() {
        #expect(Category.keyword(String(repeating: "x", count: 256)) == nil)
        #expect(!Category.isKept(Keyword("a~zz")) && Category.isKept(Keyword("to_do")))
    }

    @Test func othersKeepTheirCategories() async throws {
        let server = GraphServer(.filled(1))
        let person = try Person(server)
        let id = try #require(server.state.value.inbox.first)
        server.state.withLock { mailbox in
            mailbox.change(id) { ($0.categories, $0.verb) = (["Red Category", "Blue"], 104) }
        }
        func apply(_ add: Set<Keyword>, _ remove: Set<Keyword>) async throws -> GraphMailbox.Message? {
            let mutation = RemoteMutation.setKeywords([person.address(id)], add: add, remove: remove)
            #expect(try await person.session.apply([mutation]) == [.done(newIDs: [:], mailbox: nil)])
            return server.state.value.messages[id]
        }
        #expect(
            try await apply([Keyword("work")], [Keyword("red_category")])?.categories == ["Blue", "work"])
        #expect(try await apply([.answered, .flagged], [])?.verb == 102)
        // It was not forwarded last, so there is nothing to take back.
        #expect(try await apply([], [.forwarded])?.verb == 102)
        #expect(try await apply([], [.answered])?.verb == nil)
        // How the user writes a category is learned from messages.
        server.state.withLock { $0.change(id) { $0.categories = ["Grün"] } }
        var mirror = Mirror()
        try await mirror.round(person.session)
        server.state.withLock { $0.change(id) { $0.categories = [] } }
        let green = try #require(Category.keyword("Grün"))
        #expect(try await apply([green], [])?.categories == ["Grün"])
    }
}
