import CPluginHost
import Dispatch
import FoundationEssentials
import MailKernelAPI

/// The library of a plugin: opened, its descriptor compared, and only then asked for its provider.
struct PluginLibrary: Sendable {
    private typealias EntryPoint = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

    private let entryPoint: EntryPoint

    /// In the library.
    var address: UnsafeRawPointer { unsafeBitCast(entryPoint, to: UnsafeRawPointer.self) }

    init(opening path: String) throws(Refusal) {
        let library: SharedLibrary
        do {
            library = try SharedLibrary(opening: path)
        } catch .unresolvedSymbol(let symbol) {
            throw Self.apiRefusal(path) ?? .unresolvedSymbol(symbol)
        }
        guard let symbol = library.symbol("mailkernel_plugin") else { throw .noDescriptor }
        entryPoint = unsafeBitCast(symbol, to: EntryPoint.self)
        guard let described = entryPoint(nil) else { throw .brokenDescriptor("it returned nothing") }
        try Descriptor(reading: described).check()
    }

    /// A library that lacks a symbol was probably built against a different API. It cannot be opened, but its
    /// file contains the digest.
    private static func apiRefusal(_ path: String) -> Refusal? {
        let prefix = Data("mailkernel-api-".utf8)
        guard let bytes = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe),
            let found = bytes.firstRange(of: prefix)
        else { return nil }
        let digits = bytes[found.upperBound...].prefix { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        let digest = String(decoding: prefix + digits, as: UTF8.self)
        guard digits.count == 32, digest != APIVersion.fingerprint else { return nil }
        return .otherAPILayout(plugin: digest, program: APIVersion.fingerprint)
    }

    /// Asks the plugin for its provider, and waits no longer than `seconds`, nor when `isStopped`.
    ///
    /// A factory that never returns keeps its thread; nothing can take it away.
    func makeProvider(
        host: HostServices, within seconds: Int, unless isStopped: () -> Bool
    ) throws(Refusal) -> Provider {
        let call = ProviderCall(host: host)
        let isAnswered = DispatchSemaphore(value: 0)
        let entryPoint = entryPoint
        DispatchQueue(label: "plugin.factory").async {
            crash_watch_thread()
            // Kept by this closure for as long as the plugin may write into it.
            withExtendedLifetime(call) { _ = entryPoint(Unmanaged.passUnretained(call).toOpaque()) }
            isAnswered.signal()
        }
        let limit = DispatchTime.now() + .seconds(seconds)
        while isAnswered.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
            guard !isStopped() else { throw .factoryThrew("the program was stopped") }
            guard .now() < limit else { throw .factoryTooSlow(seconds: seconds) }
        }
        switch call.answer {
        case .success(let provider): return provider
        case .failure(let error): throw .factoryThrew(Self.sentence(error))
        case nil: throw .brokenDescriptor("it created no provider and gave no reason")
        }
    }

    /// A foreign error's words, cut and without anything that could steer a terminal.
    private static func sentence(_ error: any Error) -> String {
        let text = String(String(describing: error).prefix(500))
        let plain = text.printable
        return plain.hasSuffix(".") ? plain : plain + "."
    }
}
