import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Care
@testable import Mail

/// Files come from anywhere: what is odd in one of them is told, and costs nothing else.
@Suite("What an import reads from files") struct ImportSourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func place(_ labels: String) -> ImportPlace {
        let header = ImportHeader(Data("X-Gmail-Labels: \(labels)\n\n".utf8))
        return ImportPlace(
            FoundMessage(
                bytes: Data(), place: ["mail"], keywords: [], dates: [], labels: header.gmailLabels))
    }

    private func items(_ url: URL) throws -> (messages: [FoundMessage], failures: [ImportFailure]) {
        var source = try MailSources.open(url)
        var (messages, failures): ([FoundMessage], [ImportFailure]) = ([], [])
        while let item = try source.next() {
            switch item {
            case .message(let message): messages.append(message)
            case .deleted: break
            case .failure(let failure): failures.append(failure)
            }
        }
        #expect(source.position == source.size)
        return (messages, failures)
    }

    /// FR-SYNC-02: what says no date that can be is as old as its file.
    @Test(
        arguments: ["one.eml", "all.mbox"], ["", "Date: Fri, 13 Nov 2099 12:00:00 +0000\n", "Date: soon\n"])
    func whereAMessageHasNoDateItsFileTells(_ name: String, _ date: String) throws {
        let written = Date(timeIntervalSince1970: 1_420_106_400)
        let separator = name.hasSuffix("mbox") ? "From \n" : ""
        let file = try folder.write("\(separator)\(date)From: a@b.example\nSubject: old\n\nText\n", to: name)
        try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: file.path)
        let message = try #require(try items(file).messages.first)
        #expect(message.date(now: Date(timeIntervalSince1970: 1_700_000_000)) == written)
    }

    /// Programs that know no date write the first day of 1970, and clocks of servers can be wrong.
    @Test(arguments: [
        ("From x Thu Jan  1 00:00:00 1970\n", "Fri, 13 Nov 2015 12:00:00 +0000"),
        ("From x Thu Jan  1 00:00:00 1970\n", "Fri, 13 Nov 2099 12:00:00 +0000"), ("From \n", "soon"),
    ])
    func theFirstDateThatCanBeCounts(_ separator: String, _ received: String) throws {
        let text = "Received: by x; \(received)\nDate: Fri, 13 Nov 2015 12:00:00 +0000\nSubject: a\n\nText\n"
        let file = try folder.write(separator + text, to: "x.mbox")
        let message = try #require(try items(file).messages.first)
        #expect(message.date(now: Date()) == Date(timeIntervalSince1970: 1_447_416_000))
    }

    /// Takeout writes its own above what the sender wrote.
    @Test func theSendersLabelsAreNoLabels() {
        let header = ImportHeader(Data("X-Gmail-Labels: Work\nX-Gmail-Labels: Spam,Trash\n\n".utf8))
        #expect(header.gmailLabels == ["Work"])
    }

    @Test func onlyAnMboxHasLabels() throws {
        let message = "X-Gmail-Labels: Work\nSubject: x\n\nHello.\n"
        try folder.write(message, to: "mail/x.eml")
        try folder.write("From a@b.c Mon Nov 20 10:00:00 2023\n\(message)", to: "x.mbox")
        #expect(try items(folder.url.appending(path: "mail")).messages.map(\.labels) == [nil])
        #expect(try items(folder.url.appending(path: "x.mbox")).messages.map(\.labels) == [["Work"]])
    }

    @Test func labelsThatNameNoMailboxLeadToTheArchive() {
        for label in ["/", "//", "\t", " / / ", "\u{1}/\u{7F}"] {
            #expect(place(label).targets == [.role(.archive)], "\(label)")
        }
        #expect(place("a/ /b").targets == [.path(["a", "b"])])
        #expect(place("a\tb").targets == [.path(["a b"])])
        #expect(place("Work,/").targets == [.path(["Work"]), .role(.archive)])
    }

    @Test func labelsHaveABound() throws {
        let deep = place(Array(repeating: "a", count: 1000).joined(separator: "/"))
        #expect(deep.targets == [.path(Array(repeating: "a", count: 10))])
        guard case .path(let names)? = place(String(repeating: "é", count: 5000)).targets.first else {
            Issue.record("no path")
            return
        }
        #expect(names.count == 1 && names[0].utf8.count == 250)
    }

    @Test func foldersMayHaveAnyName() {
        func target(_ place: [String]) -> Set<ImportPlace.Target> {
            ImportPlace(FoundMessage(bytes: Data(), place: place, keywords: [], dates: [])).targets
        }
        #expect(target([" "]) == [.role(.archive)])
        #expect(target(["a\nb", "\u{1}"]) == [.path(["a b"])])
        #expect(target(["Inbox"]) == [.role(.inbox)])
    }

    @Test func aLineOfABodyIsNoSeparator() throws {
        let from = "From a@b.c Mon Nov 20 10:00:00 2023\n"
        let body = "Subject: x\n\nHello.\n\nFrom here it is 1:2 for them.\n\nBye.\n\n"
        try folder.write(from + body + from + body, to: "x.mbox")
        #expect(try items(folder.url.appending(path: "x.mbox")).messages.count == 2)
        // Where the first has no time that can be read, others need none.
        let odd = "From a@b.c 2023-11-20T10:00:00\n"
        try folder.write(odd + "Subject: x\n\nHello.\n\n" + odd + "Subject: y\n\nHello.\n", to: "y.mbox")
        #expect(try items(folder.url.appending(path: "y.mbox")).messages.count == 2)
    }

    /// The file has holes, and takes no place on the disk.
    @Test func aMessageThatIsTooLargeIsPassedBy() throws {
        let from = "From a@b.c Mon Nov 20 10:00:00 2023\n"
        try folder.write("\(from)Subject: x\n\n", to: "x.mbox")
        let url = folder.url.appending(path: "x.mbox")
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: UInt64(Blobs.messageLimit + 3_000_000))
        try file.seekToEnd()
        try file.write(contentsOf: Data("\n\n\(from)Subject: y\n\nHello.\n".utf8))
        try file.close()
        let found = try items(url)
        #expect(
            found.messages.map { String(decoding: $0.bytes, as: UTF8.self) } == ["Subject: y\n\nHello.\n"])
        #expect(found.failures.map(\.reason) == ["the message is larger than 150 MB"])
    }
}
