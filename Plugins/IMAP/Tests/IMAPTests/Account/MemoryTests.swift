import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

/// FR-SYNC-01: memory stays flat, whatever a server says.
@Suite("A server that does not stop does not fill the memory", .timeLimit(.minutes(5))) struct MemoryTests {
    /// Answers to `command` with a line again and again.
    private final class Talker: ServerSession {
        private let command: String
        private let line: Data
        private let stops: Bool

        /// - Parameter stops: the answer comes to an end.
        init(_ command: String, _ line: String, stops: Bool = false) {
            self.command = command
            self.stops = stops
            self.line = Data(line.utf8)
        }

        func greeting() -> Data { Data("* PREAUTH [CAPABILITY IMAP4rev1 ESEARCH] hello\r\n".utf8) }
        func setPush(_ push: @escaping @Sendable (Data) -> Void) {}
        func end() {}

        func take(_ bytes: Data) -> Data? {
            let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
            guard words.dropFirst().joined(separator: " ").hasPrefix(command) else {
                return Data("\(words.first ?? "*") OK done\r\n".utf8)
            }
            // More than is ever taken, in one go: a stream in memory is read piece by piece.
            var all = Data(capacity: 100 << 20)
            while all.count < 100 << 20 { all += line }
            return stops ? all + Data("\(words.first ?? "*") OK done\r\n".utf8) : all
        }
    }

    private func connection(_ server: any ServerSession) async throws -> (IMAPConnection, MemoryNetwork) {
        let network = MemoryNetwork { server }
        let endpoint = Endpoint(host: "x.test", port: 993)
        let stream = try await network.connect(to: endpoint, security: .tls, purpose: "test")
        let connection = IMAPConnection(stream, to: endpoint, clock: ManualClock())
        _ = try await connection.greeting()
        return (connection, network)
    }

    @Test func whatNobodyAskedForIsTakenToALimit() async throws {
        let (connection, network) = try await connection(
            Talker("LIST", "* LIST () \"/\" \(String(repeating: "x", count: 10_000))\r\n"))
        await #expect(throws: Allowance.exceeded) {
            try await connection.perform(.list(specialUse: false, status: nil))
        }
        #expect(network.sent < 70 << 20 && network.open == 0)
    }

    /// Of a message of 1 KB there is not more to be had than of a small one.
    @Test func bodiesHaveAboutTheSizesThatWereTold() async throws {
        let body = String(repeating: "x", count: 1 << 20)
        let (connection, network) = try await connection(
            Talker("UID FETCH", "* 1 FETCH (UID 1 BODY[] {\(body.utf8.count)}\r\n\(body))\r\n"))
        await #expect(throws: Allowance.exceeded) {
            try await connection.perform(
                .fetch(UIDSet([1]), "UID BODY.PEEK[]"), most: Allowance.bodies([1_024]))
        }
        #expect(network.sent < 12 << 20 && network.open == 0)
    }

    /// What is streamed into a file is not kept.
    @Test func whatIsHandedOnCountsNot() async throws {
        let body = String(repeating: "x", count: 1 << 20)
        let (connection, _) = try await connection(
            Talker(
                "UID FETCH", "* 1 FETCH (UID 1 BODY[] {\(body.utf8.count)}\r\n\(body))\r\n", stops: true))
        let count = Watched(0)
        _ = try await connection.perform(
            [.fetch(UIDSet([1]), "UID BODY.PEEK[]")],
            receiver: { bytes in count.withLock { $0 += bytes.count } })
        #expect(count.value >= 99 << 20)
    }

    /// A mailbox can have a million messages whose flags have all changed.
    @Test func allowancesAreGenerous() {
        #expect(Allowance.lists(exists: 1_000_000) > 1_000_000 * (Allowance.response + 120))
        #expect(Allowance.lists(exists: .max) < 2 << 30)
        #expect(Allowance.bodies([.max, .max]) < 300 << 20)
        #expect(Allowance.bodies([10 << 20]) > 20 << 20)
    }

    /// Of a large mailbox that is emptied at once there are fewer and fewer messages, and as many answers.
    @Test func aLargeMailboxCanBeEmptied() async throws {
        final class Emptied: ServerSession {
            static let count = 600_000
            func greeting() -> Data { Data("* PREAUTH [CAPABILITY IMAP4rev1 UIDPLUS] hello\r\n".utf8) }
            func setPush(_ push: @escaping @Sendable (Data) -> Void) {}
            func end() {}
            func take(_ bytes: Data) -> Data? {
                let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
                var answer = ""
                if words.contains("SELECT") { answer = "* \(Self.count) EXISTS\r\n" }
                if words.contains("EXPUNGE") {
                    answer = String(repeating: "* 1 EXPUNGE\r\n", count: Self.count)
                }
                return Data((answer + "\(words.first ?? "*") OK done\r\n").utf8)
            }
        }
        let (connection, _) = try await connection(Emptied())
        _ = try await connection.perform(.select(.inbox)).orThrow()
        _ = try await connection.perform(.expunge(UIDSet(1...600_000))).orThrow()
        #expect(await connection.selected?.exists == 0)
    }

    /// One message that is a thousand times as large as the server says is passed by, and the rest is read.
    @Test func aMessageOfAnotherSizeThanWasToldLeavesTheOthers() async throws {
        let body = String(repeating: "x", count: 10 << 20)
        let memory = ServerInMemory.scripted(messages: 3) { uid in
            uid == 2 ? "* 2 FETCH (UID 2 BODY[] {\(body.utf8.count)}\r\n\(body))\r\n" : nil
        }
        let session = memory.session()
        var reader = FeedReader(allMail)
        for _ in 0..<20 {
            do {
                try await reader.round(session)
                break
            } catch let error as AccountError where error == Allowance.exceeded {}
        }
        #expect(Set(reader.held.keys.compactMap { MessageUID($0)?.uid }) == [1, 3])
        #expect(reader.failures.compactMap { MessageUID($0.id)?.uid } == [2])
        await session.close()
    }

    // MARK: Packed

    @Test func theEndOfWhatIsPackedIsTheEndOfTheConnection() async throws {
        /// Agrees to pack, then sends an end, and other things for ever.
        final class Ending: ServerSession {
            func greeting() -> Data {
                Data("* PREAUTH [CAPABILITY IMAP4rev1 COMPRESS=DEFLATE] hello\r\n".utf8)
            }
            func setPush(_ push: @escaping @Sendable (Data) -> Void) {}
            func end() {}
            func take(_ bytes: Data) -> Data? {
                let text = String(decoding: bytes, as: UTF8.self)
                if text.contains("COMPRESS") { return Data("\(text.prefix { $0 != " " }) OK\r\n".utf8) }
                return Data([3, 0]) + Data(repeating: 65, count: 1 << 20)
            }
        }
        let network = MemoryNetwork { Ending() }
        let host = HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: FixedSecrets(), dataFolder: URL(filePath: "/tmp"), clock: ManualClock(), network: network
        )
        let session = IMAPAccountSession(
            IMAPConfiguration(
                imap: MailServer("x.test", port: 993), submission: nil,
                login: .password(user: "u") { () throws(AccountError) in Secret("p") }), host: host)
        await #expect(
            throws: AccountError.unreachable(host: "x.test", reason: "the connection on port 993 was closed")
        ) { try await session.mailboxes() }
        await session.close()
    }

    @Test func whatWasPackedBeforeTheEndIsRead() throws {
        let inflater = try #require(Inflater())
        // "hello" stored, then the last block.
        inflater.push(Data([0, 5, 0, 0xfa, 0xff]) + Data("hello".utf8) + Data([3, 0]))
        #expect(inflater.unpack() == Data("hello".utf8) && inflater.isEnded)
        inflater.push(Data(repeating: 1, count: 100))
        #expect(inflater.unpack() == Data())
    }
}
