import FoundationEssentials
import Glibc
import MailKernelAPI

/// Why S3 did not do what it was asked for, as a sentence for the user.
struct S3Failure: Error {
    let error: StorageError
    /// Whether the same request can succeed if it is sent again.
    var isTemporary = false
    /// Whether the bucket does not exist.
    var isOfBucket = false

    init(_ error: StorageError) {
        self.error = error
    }

    init(_ error: NetworkError, _ settings: S3Settings) {
        switch error {
        case .cancelled: self.error = .cancelled
        case .hostNotAllowed(let host):
            self.error = .unsupported(
                "The store may not connect to the S3 server. Add “\"hosts\": [\"\(host)\"]” to "
                    + "plugins/org.mailkernel.postgresql.json in the configuration folder.")
        case .closed:
            self.error = Self.unreachable(settings, "the connection was closed")
            isTemporary = true
        case .offline: self.error = Self.unreachable(settings, "there is no network")
        case .unreachable(_, let reason), .insecure(_, let reason), .badAnswer(_, let reason),
            .loginRefused(_, let reason), .local(let reason):
            self.error = Self.unreachable(settings, reason)
        }
    }

    /// - Parameter now: this computer's time.
    init(_ response: HTTPResponse, _ request: S3Client.Request, _ settings: S3Settings, now: Date) {
        let body = S3Answer(response.body)
        let code = body["Code"] ?? ""
        let difference = response.headers["date"].flatMap(Self.date).map { $0.timeIntervalSince(now) } ?? 0
        let isLate = code == "RequestTimeTooSkewed" || response.status == 403 && abs(difference) > 300
        switch (response.status, code) {
        case _ where isLate:
            error = .unsupported(
                "The clock of this computer and that of the S3 server \(settings.host) differ by "
                    + "\(Int((abs(difference) / 60).rounded())) minutes. Set both to the right time.")
        case (_, "NoSuchBucket"):
            isOfBucket = true
            error = .unsupported(
                "The bucket “\(settings.bucket)” does not exist on the S3 server \(settings.host). Create it."
            )
        case (_, "InvalidAccessKeyId"), (_, "SignatureDoesNotMatch"):
            error = .unsupported(
                "The S3 server \(settings.host) refused the access key or its secret key. Check the setting "
                    + "“s3.accessKey”, and save the secret key again: mailkernel plugins secret "
                    + "org.mailkernel.postgresql s3")
        case (507, _), (_, "XMinioStorageFull"), (_, "QuotaExceeded"), (_, "InsufficientStorage"):
            error = .full
        case (401, _), (403, _):
            error = .unsupported(
                "The S3 server \(settings.host) does not allow the access key to \(request.purpose) in the bucket "
                    + "“\(settings.bucket)”. Give it that permission.")
        case (400, "BadDigest"), (400, "InvalidDigest"), (400, "XAmzContentChecksumMismatch"):
            error = Self.unreachable(settings, "what arrived there has another checksum than what was sent")
            isTemporary = true
        case (429, _), (500..., _):
            error = Self.unreachable(settings, "it responded with the status \(response.status) \(code)")
            isTemporary = true
        default:
            error = Self.unreachable(
                settings, "it refused to \(request.purpose): \(response.status) \(code)")
        }
    }

    static func unreachable(_ settings: S3Settings, _ reason: String) -> StorageError {
        .unreachable(reason: "the S3 server \(settings.host): \(reason)")
    }

    /// Such as `Thu, 26 Nov 2026 21:36:00 GMT`.
    private static func date(_ text: String) -> Date? {
        let words = text.split { " ,:".contains($0) }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count == 8, let month = months.firstIndex(of: String(words[2])) else { return nil }
        let numbers = [words[1], words[3], words[4], words[5], words[6]].compactMap { Int32($0) }
        guard numbers.count == 5 else { return nil }
        var parts = tm()
        (parts.tm_mday, parts.tm_mon, parts.tm_year) = (numbers[0], Int32(month), numbers[1] &- 1_900)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[2], numbers[3], numbers[4])
        return Date(timeIntervalSince1970: Double(timegm(&parts)))
    }
}

/// The texts in an answer of S3, whose XML has no attributes that matter.
struct S3Answer {
    private let text: String

    init(_ body: Data) {
        text = String(decoding: body, as: UTF8.self)
    }

    /// The first text of an element with this name.
    subscript(_ name: String) -> String? { all(name).first }

    /// The texts of all elements with this name.
    func all(_ name: String) -> [String] {
        text.split(separator: "<\(name)>", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
            rest.firstRange(of: "</\(name)>").map { String(rest[..<$0.lowerBound]) }
        }
    }

    func contains(_ element: String) -> Bool { text.contains("<\(element)") }
}
