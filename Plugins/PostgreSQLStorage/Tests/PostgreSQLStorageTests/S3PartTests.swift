import Digest
import FoundationEssentials
import MailKernelAPI
import Synchronization
import Testing

@testable import PostgreSQLStorage

@Suite("Requests to S3, and what is made of its answers") struct S3PartTests {
    /// The example in Amazon's documentation of query parameters.
    @Test func aSignatureIsThatOfTheDocumentation() throws {
        var signer = S3Signer(
            accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), region: "us-east-1")
        signer.seconds = 86_400
        let query = try #require(
            signer.query(
                "GET", host: "examplebucket.s3.amazonaws.com", path: "/test.txt", items: [], headers: [:],
                at: Date(timeIntervalSince1970: 1_369_353_600)))
        #expect(
            query.hasSuffix(
                "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
    }

    @Test(
        arguments: [
            ("text", "“s3” is not an object"),
            (["bucket": "mail", "accessKey": "a"], "“s3.endpoint”"),
            (["endpoint": "http://s3.example.org", "bucket": "mail", "accessKey": "a"], "“s3.endpoint”"),
            (["endpoint": "https://s3.example.org/x", "bucket": "mail", "accessKey": "a"], "“s3.endpoint”"),
            (["endpoint": "https://s3.example.org", "bucket": "My mail", "accessKey": "a"], "“s3.bucket”"),
            (["endpoint": "https://s3.example.org", "bucket": "mail"], "“s3.accessKey”"),
            (["endpoint": "https://s3.example.org", "secretKey": "x"], "plugins secret"),
        ] as [(JSONValue, String)])
    func anUnusableSettingIsExplained(_ value: JSONValue, _ reason: String) {
        let problem = #expect(throws: SettingsProblem.self) { try S3Settings(value) }
        #expect(problem?.description.contains(reason) ?? false)
    }

    @Test func thePortIsSignedUnlessItIsTheUsualOne() throws {
        for (address, host) in [
            ("https://s3.example.org", "s3.example.org"), ("https://s3.example.org:443/", "s3.example.org"),
            ("https://s3.example.org:9000", "s3.example.org:9000"),
        ] {
            #expect(try Self.settings(address).host == host)
        }
    }

    private static func settings(_ address: String = "https://s3.example.org") throws -> S3Settings {
        try S3Settings(["endpoint": .string(address), "bucket": "mail", "accessKey": "a"])
    }

    @Test(
        arguments: [
            (507, "", StorageError.full), (403, "QuotaExceeded", .full),
            (409, "XMinioStorageFull", .full),
        ])
    func aFullServerIsFull(_ status: Int, _ code: String, _ error: StorageError) throws {
        #expect(try Self.failure(status, code).error == error)
    }

    @Test func aBusyServerIsAskedAgain() throws {
        #expect(try Self.failure(503, "SlowDown").isTemporary)
        #expect(try !Self.failure(403, "AccessDenied").isTemporary)
    }

    @Test func anotherTimeIsToldFromAnotherKey() throws {
        let late = try Self.failure(403, "AccessDenied", date: "Tue, 14 Nov 2023 23:13:20 GMT")
        guard case .unsupported(let sentence) = late.error else {
            Issue.record("a wrong clock is \(late.error)")
            return
        }
        #expect(sentence.contains("differ by 60 minutes"))
    }

    private static func failure(
        _ status: Int, _ code: String, date: String = "Tue, 14 Nov 2023 22:13:20 GMT"
    ) throws -> S3Failure {
        let body = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>No.</Message></Error>"
        return S3Failure(
            HTTPResponse(status: status, headers: ["date": date], body: Data(body.utf8)),
            .init(method: "PUT", purpose: "store attachments"), try settings(),
            now: Date(timeIntervalSince1970: 1_700_000_000))
    }

    @Test func aHostThatIsNotAllowedIsNamed() throws {
        let failure = S3Failure(NetworkError.hostNotAllowed(host: "s3.example.org"), try Self.settings())
        guard case .unsupported(let sentence) = failure.error else {
            Issue.record("a host that is not allowed is \(failure.error)")
            return
        }
        #expect(sentence.contains("“\"hosts\": [\"s3.example.org\"]”"))
    }

    @Test(arguments: [1, StoredObject.piece - 1, StoredObject.piece, StoredObject.piece + 1, 700_000])
    func piecesAreWhereTheyAreLookedFor(_ size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        let object = StoredObject(account: 1, upload: "u", key: Data.randomSecret(), size: size)
        let read: (Int, Int) throws(StorageError) -> [UInt8] = { Array(bytes.dropFirst($0).prefix($1)) }
        let sealed = try object.sealed(object.pieces, read)
        #expect(sealed.count == object.place(of: object.pieces).upperBound)
        for step in [1_000, StoredObject.piece, sealed.count] {
            #expect(try Self.opened(object, object.pieces, sealed, by: step) == Data(bytes))
        }
        let last = object.pieces.count - 1..<object.pieces.count
        let tail = sealed.dropFirst(object.place(of: last).lowerBound)
        #expect(
            try Self.opened(object, last, tail) == Data(bytes.dropFirst(last.lowerBound * StoredObject.piece))
        )
        #expect(throws: PieceOpening.damaged) { try Self.opened(object, last, tail.dropLast()) }
        var changed = sealed
        changed[sealed.count / 2] ^= 1
        #expect(throws: PieceOpening.damaged) { try Self.opened(object, object.pieces, changed) }
        // Of a server that ignores the range.
        #expect(try Self.opened(object, last, sealed, isWhole: true).count == object.bytes(in: last).count)
    }

    private static func opened(
        _ object: StoredObject, _ pieces: Range<Int>, _ sealed: Data, by step: Int = .max,
        isWhole: Bool = false
    ) throws -> Data {
        let opened = Mutex(Data())
        let sink = OpeningSink(object, pieces) { block in opened.withLock { $0 += block.bytes } }
        sink.begin(isWhole ? 200 : 206)
        for part in sealed.slices(of: min(step, sealed.count)) { try sink.write(part) }
        guard sink.isComplete else { throw PieceOpening.damaged }
        return opened.withLock { $0 }
    }

    @Test func theChecksumIsThatOfTheStandard() {
        #expect(Checksum.of(Data("123456789".utf8)) == "y/Q5Jg==")
        #expect(Checksum.of(Data()) == "AAAAAA==")
    }
}
