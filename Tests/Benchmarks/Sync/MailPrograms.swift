import FoundationEssentials
import Glibc
import TestSupport

/// What people fetch, index and send their mail with otherwise, as processes.
struct MailPrograms {
    let service: BenchMailService
    private var place: URL { service.folder.url.appending(path: "peers") }
    private var mail: URL { place.appending(path: "mail") }

    static func has(_ names: String...) -> Bool {
        names.allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 }
    }

    /// As it is set up by default, with its fsync of every message.
    func prepareFetching() throws {
        try FileManager.default.createDirectory(at: mail, withIntermediateDirectories: true)
        let settings = """
            IMAPAccount bench
            Host localhost
            Port \(service.imaps)
            User \(BenchMailService.address)
            Pass \(BenchMailService.password)
            SSLType IMAPS
            CertificateFile \(service.certificate.path)
            AuthMechs LOGIN

            IMAPStore far
            Account bench

            MaildirStore near
            Path \(mail.path)/
            Inbox \(mail.path)/INBOX
            SubFolders Verbatim

            Channel all
            Far :far:
            Near :near:
            Patterns INBOX
            Create Near
            Expunge None
            SyncState *

            """
        try Data(settings.utf8).write(to: place.appending(path: "mbsyncrc"))
    }

    func mbsync() async throws -> Double {
        try await timed(["mbsync", "-c", place.appending(path: "mbsyncrc").path, "-q", "all"])
    }

    func mu() async throws -> Double {
        let home = "--muhome=\(place.appending(path: "mu").path)"
        return try await timed(["mu", "init", "--quiet", home, "--maildir=\(mail.path)"])
            + timed(["mu", "index", "--quiet", home])
    }

    func notmuch() async throws -> Double {
        let settings = """
            [database]
            path=\(place.path)
            mail_root=\(mail.path)
            [user]
            name=Bench
            primary_email=\(BenchMailService.address)
            [new]
            ignore=.uidvalidity;.mbsyncstate
            [maildir]
            synchronize_flags=true
            """
        let file = place.appending(path: "notmuch")
        try Data(settings.utf8).write(to: file)
        return try await timed(["notmuch", "--config=\(file.path)", "new", "--quiet"])
    }

    func msmtp(_ message: URL) async throws -> Double {
        try await timed(
            [
                "sh", "-c", "exec msmtp \"$@\" < \(message.path)", "msmtp", "--host=localhost",
                "--port=\(service.submissions)", "--tls=on", "--tls-starttls=off",
                "--tls-trust-file=\(service.certificate.path)", "--auth=plain",
                "--user=\(BenchMailService.address)", "--passwordeval=echo \(BenchMailService.password)",
                "--from=\(BenchMailService.address)", "bob@example.test",
            ])
    }

    func curl(_ message: URL) async throws -> Double {
        try await timed(
            [
                "curl", "--silent", "--show-error", "--fail", "--cacert", service.certificate.path, "--url",
                "smtps://localhost:\(service.submissions)", "--user",
                "\(BenchMailService.address):\(BenchMailService.password)", "--mail-from",
                BenchMailService.address, "--mail-rcpt", "bob@example.test", "--upload-file", message.path,
            ])
    }

    /// Seconds.
    private func timed(_ words: [String]) async throws -> Double {
        let began = ContinuousClock.now
        let result = try await Command.run(URL(filePath: "/usr/bin/env"), words)
        guard result.status == 0 else { throw BenchError(description: "\(words[0]): \(result.errors)") }
        return (ContinuousClock.now - began) / .seconds(1)
    }
}
