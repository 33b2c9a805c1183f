import FoundationEssentials
import MailKernelAPI

/// What a conversation with a server does with its connection. Failures are the account's, and name the port.
extension ByteStream {
    package func write(_ text: String, to endpoint: Endpoint) async throws(AccountError) {
        do throws(NetworkError) {
            try await write(Data(text.utf8))
        } catch {
            throw AccountError(error, port: endpoint.port)
        }
    }

    /// The bytes that have arrived.
    ///
    /// - Throws: also if the server has closed the connection.
    package func read(upTo count: Int, from endpoint: Endpoint) async throws(AccountError) -> Data {
        do throws(NetworkError) {
            guard let bytes = try await read(upTo: count) else {
                throw NetworkError.closed(host: endpoint.host)
            }
            return bytes
        } catch {
            throw AccountError(error, port: endpoint.port)
        }
    }

    package func startTLS(with endpoint: Endpoint) async throws(AccountError) {
        do throws(NetworkError) {
            try await startTLS()
        } catch {
            throw AccountError(error, port: endpoint.port)
        }
    }
}
