public import CMailKernelPlugin
import Synchronization

#if canImport(Glibc)
    public import Glibc
#endif

/// The entry point of a plugin's library: makes its provider.
///
/// This is the whole entry file of a plugin:
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
    /// The kernel calls this once, before it serves any client, on its own thread. Only build the object:
    /// opening files, connecting or loading a model belongs into the provider's methods. After 10 seconds the
    /// kernel gives up and continues without the plugin.
    ///
    /// - Parameter host: the kernel's services for the plugin. Keep it; it stays valid until the program
    ///   ends.
    /// - Throws: anything. The plugin is then listed as refused, and the user reads the error's description:
    ///   say what is wrong and what to do.
    static func makeProvider(host: HostServices) throws -> Provider
}

/// A plugin's provider, of one of the four kinds. Must match `"kind"` in `plugin.json`.
public enum Provider: Sendable {
    /// Adds mail accounts. All account plugins are in use at the same time.
    case account(any AccountProvider)
    /// Runs language models. All model plugins are in use at the same time.
    case model(any AIModelProvider)
    /// Keeps all mail. Exactly one is in use, which the user can choose.
    case storage(any StorageBackend)
    /// Shows notifications. All notification plugins are in use at the same time.
    case notification(any NotificationSink)

    /// The kind of this provider.
    public var kind: PluginKind {
        switch self {
        case .account: .account
        case .model: .model
        case .storage: .storage
        case .notification: .notification
        }
    }
}

/// The kinds of provider, as written in `plugin.json`.
public enum PluginKind: String, Sendable, Codable, CaseIterable {
    /// The plugin brings an `AccountProvider`.
    case account
    /// The plugin brings an `AIModelProvider`.
    case model
    /// The plugin brings a `StorageBackend`.
    case storage
    /// The plugin brings a `NotificationSink`.
    case notification
}

extension MailKernelPlugin {
    /// The body of the generated `answer`, which passes in the digest. Plugins do not call it.
    ///
    /// Exported with its body, like `answer`: the descriptor must name what the *plugin* was compiled with,
    /// and no code of the API's library may run before the kernel has compared the two.
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

/// Describes the API that the caller was compiled with. Plugins do not call it.
///
/// Returns one heap block that is never freed: it lives as long as the library, which is never unloaded.
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
    /// The compiler that built the API library in this process, in the form that a plugin's descriptor uses.
    public static var compiler: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 160) { text in
            mailkernel_name_compiler(text.baseAddress, text.count, MAILKERNEL_SWIFT)
            return text.baseAddress.map { String(cString: $0) } ?? ""
        }
    }
}

/// The kernel's request for a provider, and the place for the result. Plugins do not use it.
public final class ProviderCall: Sendable {
    private let host: HostServices
    private let result = Mutex<Result<Provider, any Error>?>(nil)

    public init(host: HostServices) {
        self.host = host
    }

    /// The plugin's provider or error; nil until it has returned.
    public var answer: Result<Provider, any Error>? {
        result.withLock { $0 }
    }

    /// Calls `make` with the plugin's host services and keeps the result.
    public func finish(_ make: (HostServices) throws -> Provider) {
        let made = Result { try make(host) }
        result.withLock { $0 = made }
    }
}
