import FoundationEssentials
import Glibc
import MailKernelAPI
import Network

/// Uses the network as a plugin would, in a process of its own that can be watched from outside:
/// `network-trial FOLDER CERTIFICATES HOSTS`, then any number of `get URL`, `open HOST:PORT` and `die`.
/// HOSTS are separated by commas. Each is answered with a line.
@main enum NetworkTrial {
    static func main() async throws {
        var words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 3 else { exit(64) }
        let network = Network(
            NetworkSettings(version: "0", moreCertificates: URL(filePath: words[1])),
            ledger: ConnectionLedger(folder: URL(filePath: words[0])))
        let access = network.access(
            for: "org.example.trial", hosts: words[2].split(separator: ",").map(String.init))
        words.removeFirst(3)
        var streams: [any ByteStream] = []
        while !words.isEmpty {
            do {
                switch words.removeFirst() {
                case "get":
                    guard let url = URL(string: words.removeFirst()) else { exit(64) }
                    print(try await access.send(HTTPRequest("GET", url, purpose: "a trial")).status)
                case "open":
                    let parts = words.removeFirst().split(separator: ":")
                    guard parts.count == 2, let port = Int(parts[1]) else { exit(64) }
                    streams.append(
                        try await access.connect(
                            to: Endpoint(host: String(parts[0]), port: port), security: .tls,
                            purpose: "a trial"))
                    print("open")
                case "die":
                    fflush(nil)
                    kill(getpid(), SIGKILL)
                default: exit(64)
                }
            } catch {
                print(error)
            }
        }
        for stream in streams { await stream.close() }
        await network.close()
    }
}
