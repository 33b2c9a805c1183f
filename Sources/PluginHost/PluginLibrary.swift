import CPluginHost
import Dispatch
import FoundationEssentials
import MailKernelAPI

/// The library of a plugin: opened, its descriptor compared, and only then asked for its provider.
struct PluginLibrary: Sendable {
    private typealias EntryPoint = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

    private let entryPoint: EntryPoint

    init(opening path: String) throws(Refusal) {
        let library: SharedLibrary
        do {
            library = try SharedLibrary(opening: path, .now)
        } catch .unresolvedSymbol(let symbol) {
            // A symbol of the API: it was built against another one, and its descriptor tells which. What
            // describes a plugin calls nothing of the API, so it can be asked without that symbol.
            if Refusal.isOfTheAPI(symbol), let library = try? SharedLibrary(opening: path, .whenCalled) {
                _ = try Self.entryPoint(library)
            }
            throw .unresolvedSymbol(symbol)
        }
        entryPoint = try Self.entryPoint(library)
    }

    /// The plugin's one function, once its descriptor has been found to be right.
    private static func entryPoint(_ library: SharedLibrary) throws(Refusal) -> EntryPoint {
        guard let symbol = library.symbol("mailkernel_plugin") else { throw .noDescriptor }
        let entryPoint = unsafeBitCast(symbol, to: EntryPoint.self)
        guard let described = entryPoint(nil) else { throw .brokenDescriptor("it answered with nothing") }
        try Descriptor(reading: described).check()
        return entryPoint
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
        case nil: throw .brokenDescriptor("it made no provider and gave no reason")
        }
    }

    /// A foreign error's words, cut and without anything that could steer a terminal.
    private static func sentence(_ error: any Error) -> String {
        let text = String(String(describing: error).prefix(500))
        let plain = String(
            text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return plain.hasSuffix(".") ? plain : plain + "."
    }
}
