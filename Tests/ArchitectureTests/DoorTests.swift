import Testing

/// Every change to the store goes through `MailStore`, which publishes it. A layer that held the backend itself could
/// commit unnoticed.
@Suite("The store has one door") struct DoorTests {
    /// The door, and the choice of the plugin behind it.
    private static let door = "Sources/Store/Door/"
    /// The contract, its test kit, and the text of packages that do not exist yet.
    private static let contract = [
        "Sources/MailKernelAPI/", "Sources/MailKernelConformance/", "Sources/mailkernel/Templates/",
    ]

    @Test func onlyTheDoorNamesTheBackend() throws {
        let naming = try SwiftSource.paths(in: "Sources").filter { path in
            try !Self.contract.contains(where: path.hasPrefix)
                && SwiftSource(path).text.contains(/\bStorageBackend\b|\.storage\(let|\bbackend\b/)
        }
        #expect(naming.contains { $0.hasPrefix(Self.door) }, "the door was not found")
        #expect(naming.filter { !$0.hasPrefix(Self.door) } == [])
    }

    @Test func theDoorKeepsTheBackendToItself() throws {
        let door = try SwiftSource("\(Self.door)MailStore.swift").text
        #expect(door.contains("\n    private let backend: any StorageBackend\n"))
    }
}
