import Foundation
import Testing

/// A move asks a store for each collection of documents by name: one that is not in the list would be lost.
@Suite("A move knows all documents") struct CollectionTests {
    @Test func everyCollectionIsListed() throws {
        let list = try SwiftSource("Sources/Care/Moving/DocumentCollections.swift").text
        let listed = Set(list.matches(of: /"([\w-]+)"/).map { String($0.1) })
        var named: Set<String> = []
        for path in try SwiftSource.paths(in: "Sources") where !Self.isOutside(path) {
            let text = try SwiftSource(path).text
            named.formUnion(
                text.matches(of: /static let (?:collection|cursors|uploads) = "([\w-]+)"/).map {
                    String($0.1)
                })
            for key in text.matches(of: /\bDocumentKey\(\s*([^,]+),/) {
                if let literal = key.1.wholeMatch(of: /"([\w-]+)"/) {
                    named.insert(String(literal.1))
                } else {
                    #expect(
                        key.1.wholeMatch(of: /(?:\w+\.)?(?:collection|cursors|uploads)/) != nil,
                        "\(path) names a collection as “\(key.1)”, which this test does not find")
                }
            }
        }
        #expect(named == listed)
    }

    /// The contract and its kit; the note of the move itself and those of a copy for work without the server, which stay
    /// behind.
    private static func isOutside(_ path: String) -> Bool {
        path.hasPrefix("Sources/MailKernelAPI/") || path.hasPrefix("Sources/MailKernelConformance/")
            || path == "Sources/Care/Moving/MoveProgress.swift" || path.hasPrefix("Sources/Store/Offline/")
            || path == "Sources/Care/Replica/ReplicaNotes.swift"
    }
}
