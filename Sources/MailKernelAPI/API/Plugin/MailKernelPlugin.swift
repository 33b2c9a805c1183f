public import CMailKernelPlugin
import Synchronization

#if canImport(Glibc)
    public import Glibc
#endif

/// What a plugin's library declares: how its provider is made.
///
/// The whole entry file of a plugin is this:
///
/// ```swift
/// import MailKernelAPI
///
/// struct WeatherPlugin: MailKernelPlugin {
///     static func makeProvider(host: HostServices) throws -> Provider {
///         .notification(WeatherSink(log: host.log))
///     }
/// }
///
/// @c(mailkernel_plugin)
/// public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
///     WeatherPlugin.answer(question)
/// }
/// ```
public protocol MailKernelPlugin: SendableMetatype {
    /// Makes the plugin's one provider.
    ///
    /// The kernel calls this once, before it serves anybody, on a thread of its own. Build the object
    /// and return: opening files, connecting or reading a model belongs into the provider's own
    /// methods. After 10 seconds the kernel gives up on the call and goes on without the plugin.
    ///
    /// - Parameter host: what the kernel lends the plugin. Keep it; it stays valid to the end.
    /// - Throws: anything. The plugin is then listed as refused, with the error's description as
    ///   the reason that a person reads: say what is wrong and what to do.
    static func makeProvider(host: HostServices) throws -> Provider
}

/// The provider that a plugin brings, of one of the four kinds.
public enum Provider: Sendable {
    case account(any AccountProvider)
    case model(any AIModelProvider)
    case storage(any StorageBackend)
    case notification(any NotificationSink)

    public var kind: PluginKind {
        switch self {
        case .account: .account
        case .model: .model
        case .storage: .storage
        case .notification: .notification
        }
    }
}

/// The kinds of provider, as `plugin.json` spells them.
public enum PluginKind: String, Sendable, Codable, CaseIterable {
    case account, model, storage, notification
}

extension MailKernelPlugin {
    /// The body of `answer`, which is generated together with the digest that it passes in.
    ///
    /// Exported with its body, like `answer`: the descriptor has to hold what the *plugin* was
    /// compiled with, and nothing of the API's library may run before the two have been compared.
    @export(implementation)
    public static func answer(
        _ question: UnsafeMutableRawPointer?, fingerprint: StaticString, swift: Int32
    ) -> UnsafeMutableRawPointer? {
        guard let question else { return pluginDescriptor(fingerprint: fingerprint, swift: swift) }
        let call = Unmanaged<ProviderCall>.fromOpaque(question).takeUnretainedValue()
        call.finish { try makeProvider(host: $0) }
        return nil
    }
}

/// One heap block, never freed: it lives as long as the library, which is never unloaded.
@export(implementation)
public func pluginDescriptor(
    fingerprint: StaticString, swift: Int32
) -> UnsafeMutableRawPointer? {
    guard let block = calloc(1, MemoryLayout<mailkernel_descriptor>.size) else { return nil }
    let descriptor = block.bindMemory(to: mailkernel_descriptor.self, capacity: 1)
    descriptor.pointee.magic = MAILKERNEL_PLUGIN_MAGIC
    descriptor.pointee.size = UInt32(MemoryLayout<mailkernel_descriptor>.size)
    descriptor.pointee.api_major = MAILKERNEL_API_MAJOR
    descriptor.pointee.api_minor = MAILKERNEL_API_MINOR
    // The block is zeroed and one byte longer than what is copied, so the text ends in a zero.
    withUnsafeMutableBytes(of: &descriptor.pointee.fingerprint) { field in
        let length = min(fingerprint.utf8CodeUnitCount, field.count - 1)
        field.copyMemory(from: UnsafeRawBufferPointer(start: fingerprint.utf8Start, count: length))
    }
    withUnsafeMutableBytes(of: &descriptor.pointee.swift_version) { field in
        mailkernel_name_compiler(field.baseAddress?.assumingMemoryBound(to: CChar.self), field.count, swift)
    }
    return block
}

extension APIVersion {
    /// The compiler that built the API whose library is in this process, as a plugin's descriptor names it.
    public static var compiler: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 160) { text in
            mailkernel_name_compiler(text.baseAddress, text.count, MAILKERNEL_SWIFT)
            return text.baseAddress.map { String(cString: $0) } ?? ""
        }
    }
}

/// The kernel's request for a provider, and the place where the answer is put.
public final class ProviderCall: Sendable {
    private let host: HostServices
    private let result = Mutex<Result<Provider, any Error>?>(nil)

    public init(host: HostServices) {
        self.host = host
    }

    /// What the plugin made or threw; nil while it has not answered.
    public var answer: Result<Provider, any Error>? {
        result.withLock { $0 }
    }

    public func finish(_ make: (HostServices) throws -> Provider) {
        let made = Result { try make(host) }
        result.withLock { $0 = made }
    }
}
