import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

@Suite("What a service says about an account") struct ServiceLimitTests {
    private func quotas(_ answer: String, _ more: String = " QUOTA") async throws -> [AccountQuota] {
        let asked = Watched(0)
        let memory = ServerInMemory.answering(capabilities: ServerInMemory.folders + more) { verb, tag, _ in
            guard verb == "GETQUOTAROOT" else { return nil }
            _ = asked.next()
            return answer.replacing("#", with: tag)
        }
        let session = memory.session()
        let quotas = try await session.quotas()
        await session.close()
        #expect(asked.value == (more.isEmpty ? 0 : 1))
        return quotas
    }

    /// ACC-20
    @Test(arguments: [" QUOTA", " QUOTA=RES-STORAGE QUOTA=RES-MESSAGE"])
    func quotasAreReportedInBytes(_ capability: String) async throws {
        let found = try await quotas(
            "* QUOTAROOT INBOX \"\"\r\n* QUOTA \"\" (STORAGE 6396314 15728640 MESSAGE 20 100 X 1 2)\r\n"
                + "* QUOTA \"\" (STORAGE 1 2)\r\n# OK Success\r\n", capability)
        let root = MailboxDirectory.hash("")
        #expect(
            found == [
                AccountQuota(
                    id: Id("STORAGE-\(root)"), resourceType: .octets, used: 6_396_314 * 1_024,
                    hardLimit: 15 << 30),
                AccountQuota(id: Id("MESSAGE-\(root)"), resourceType: .count, used: 20, hardLimit: 100),
            ])
    }

    /// ACC-20
    @Test func aServerWithoutQuotasIsNotAsked() async throws { #expect(try await quotas("", "") == []) }

    /// ACC-20: no limit, one without a number, one that is none, and none for this user.
    @Test(arguments: [
        "* QUOTAROOT INBOX\r\n# OK Success\r\n", "* QUOTA \"\" (STORAGE 5 0)\r\n# OK Success\r\n",
        "* QUOTA \"\" (STORAGE 5 18014398509481983)\r\n# OK Success\r\n",
        "* QUOTA \"\" (STORAGE 5 9223372036854775807)\r\n# OK Success\r\n",
        "* QUOTA \"\" ()\r\n# OK Success\r\n", "# NO Quota is disabled\r\n",
    ])
    func whatIsNoLimitIsNotReported(_ answer: String) async throws { #expect(try await quotas(answer) == []) }

    /// ACC-20
    @Test func moreThanIsAllowedIsCut() async throws {
        let found = try await quotas(
            "* QUOTA \"\" (STORAGE 18446744073709551615 1024)\r\n# OK Success\r\n")
        #expect(found.map(\.used) == [1 << 53 - 1])
    }

    private func jmap(_ answer: String, _ more: String = " JMAPACCESS") async throws -> URL? {
        let memory = ServerInMemory.answering(capabilities: ServerInMemory.folders + more) { verb, tag, _ in
            verb == "GETJMAPACCESS" ? answer.replacing("#", with: tag) : nil
        }
        let session = memory.session()
        let url = try await session.jmapSessionURL()
        await session.close()
        return url
    }

    /// ACC-29
    @Test func theWayToJMAPIsReportedWhereItIsOffered() async throws {
        let answer = "* JMAPACCESS \"https://x.test/jmap\"\r\n# OK done\r\n"
        #expect(try await jmap(answer)?.absoluteString == "https://x.test/jmap")
        #expect(try await jmap(answer, "") == nil)
        #expect(try await jmap("* JMAPACCESS \"http://x.test/jmap\"\r\n# OK done\r\n") == nil)
        #expect(try await jmap("# NO not for you\r\n") == nil)
    }

    /// ACC-28: a server that reports progress is waited for, however long it takes.
    @Test func aServerThatReportsProgressIsWaitedFor() async throws {
        let asked = Watched("")
        let memory = ServerInMemory.answering(capabilities: ServerInMemory.folders) { verb, tag, _ in
            guard verb == "LIST" else { return nil }
            asked.withLock { $0 = tag }
            return ""
        }
        let session = memory.session()
        let connection = try await session.pool.lend(preferring: nil)
        let call = Task { try await connection.perform(.list(specialUse: false, status: nil)) }
        await asked.wait { !$0.isEmpty }
        for round in 1...4 {
            await memory.clock.waitForSleepers { $0 == 1 }
            memory.server.say(
                "* OK [INPROGRESS (\"\(asked.value)\" \(round) 1000)] Still looking\r\n"
                    + "* CAPABILITY IMAP4rev1 ROUND\(round)\r\n")
            while await !connection.capabilities.contains("ROUND\(round)") { await Task.yield() }
            memory.clock.advance(by: IMAPConnection.patience)
        }
        memory.server.say("* LIST () \"/\" INBOX\r\n\(asked.value) OK Done\r\n")
        #expect(try await call.value.isOK)
        await session.pool.giveBack(connection)
        await session.close()
    }
}
