import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing
import WebCalls

@Suite("What calls of web services share", .timeLimit(.minutes(1))) struct WebCallsTests {
    @Test func onlySoManyRunAtATime() async {
        let lanes = Lanes(3)
        let counts = Watched((running: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await lanes.run { () async in
                        counts.withLock {
                            ($0.running, $0.most) = ($0.running + 1, max($0.most, $0.running + 1))
                        }
                        await Task.yield()
                        counts.withLock { $0.running -= 1 }
                    }
                }
            }
        }
        #expect(counts.value.running == 0 && (1...3).contains(counts.value.most))
    }

    @Test func aCanceledCallLeavesTheLaneToOthers() async throws {
        let lanes = Lanes(1)
        let (held, holding) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            await lanes.run { () async in
                beginning.finish()
                for await _ in held {}
            }
        }
        for await _ in begun {}
        let canceled = Task { await lanes.run { () async in Task.isCancelled } }
        canceled.cancel()
        #expect(await canceled.value)
        let last = Task { await lanes.run { () async in true } }
        holding.finish()
        await first.value
        #expect(await last.value)
        #expect(await lanes.run { () async in true })
    }

    @Test func anAnswerThatIsTooLargeIsNotKept() async throws {
        let sink = Collector(limit: 5)
        try await sink.write(Data("123".utf8))
        await #expect(throws: Collector.Full.self) { try await sink.write(Data("456".utf8)) }
        #expect(await sink.isFull)
        #expect(await sink.bytes == Data("123".utf8))
    }

    @Test func oneBadValueDoesNotSpoilTheOthers() throws {
        struct Folder: Decodable { let id: String, count: Int }
        let list = #"[{"id":"a","count":1},{"id":"b","count":"x"},7]"#
        let values = try JSONDecoder().decode([Lenient<Folder>].self, from: Data(list.utf8))
        #expect(values.map(\.value?.id) == ["a", nil, nil])
        #expect(values.map(\.failedID) == [nil, "b", nil])
    }

    @Test(arguments: ["2014-10-30T06:12:00Z", "2014-10-30T06:12:00.1234567Z", "2014-10-30T07:12:00+01:00"])
    func datesAreRead(_ text: String) {
        let second = JSONDate.read(text).map { $0.timeIntervalSince1970.rounded(.down) }
        #expect(second == 1_414_649_520)
        #expect(JSONDate.read(text).map(JSONDate.write) == "2014-10-30T06:12:00Z")
    }

    @Test(arguments: ["", "yesterday", "2014-13-45T06:12:00Z", String(repeating: "2", count: 100)])
    func otherTextsAreNoDates(_ text: String) { #expect(JSONDate.read(text) == nil) }
}
