// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let digest = Target.Dependency.product(name: "Digest", package: "Digest")
let files = Target.Dependency.product(name: "Files", package: "Files")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// - Parameter folders: where the libraries of llama.cpp are looked for, in this order.
func linkingLlama(in folders: [String]) -> [LinkerSetting] {
    [.unsafeFlags(folders.map { "-L\($0)" })]
        + ["llama", "ggml", "ggml-cpu", "ggml-base", "stdc++", "m"].map { .linkedLibrary($0) }
}

// Built by `prepare`.
let llama = Context.packageDirectory + "/../../.build/llama"
let llamaHeaders: [SwiftSetting] = [.unsafeFlags(["-O", "-Xcc", "-I\(llama)/include"])]
let exports = Context.packageDirectory + "/exports.map"

let package = Package(
    name: "LocalModels",
    products: [
        .library(name: "LocalModels", type: .dynamic, targets: ["LocalModelsPlugin"]),
        .executable(name: "mailkernel-inference", targets: ["mailkernel-inference"]),
        .executable(name: "mailkernel-inference-wide", targets: ["mailkernel-inference-wide"]),
    ],
    dependencies: [
        .package(path: "../../Sources/Digest"),
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../../Tests/CrashSupport"),
        .package(path: "../Files"),
    ],
    targets: [
        .systemLibrary(name: "CLocalModels"),
        .systemLibrary(name: "CLlama"),
        // What the plugin and the process that runs the models say to each other.
        .target(name: "InferenceWire", swiftSettings: strict),
        .target(
            name: "LocalModels", dependencies: ["CLocalModels", "InferenceWire", digest, files, api],
            swiftSettings: strict),
        // The library exports one symbol, whatever its parts export to each other.
        .target(
            name: "LocalModelsPlugin", dependencies: ["LocalModels", api], swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-use-ld=lld", "-Xlinker", "--version-script=\(exports)"])]),
        // The only part that uses llama.cpp, in a separate process.
        .target(
            name: "Inference", dependencies: ["CLlama", "InferenceWire"],
            // Optimized in debug builds too: a vocabulary has a hundred thousand words.
            swiftSettings: strict + llamaHeaders),
        .executableTarget(
            name: "mailkernel-inference", dependencies: ["Inference"],
            path: "Sources/InferencePrograms/Usual", swiftSettings: strict + llamaHeaders,
            linkerSettings: linkingLlama(in: ["\(llama)/lib"])),
        // For processors with AVX-512, which read a prompt about twice as fast with it.
        .executableTarget(
            name: "mailkernel-inference-wide", dependencies: ["Inference"],
            path: "Sources/InferencePrograms/Wide", swiftSettings: strict + llamaHeaders,
            linkerSettings: linkingLlama(in: ["\(llama)/lib/wide", "\(llama)/lib"])),
        // Tells the tests what a confined process can still do.
        .executableTarget(name: "local-models-confined", path: "Tests/Confined"),
        .testTarget(
            name: "LocalModelsTests",
            dependencies: [
                "LocalModels", "local-models-confined", "InferenceWire", api, conformance, digest,
                .product(name: "CrashSupport", package: "CrashSupport"),
            ],
            swiftSettings: strict),
    ]
)
