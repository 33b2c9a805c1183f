// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")

let package = Package(
    name: "mailkernel",
    products: [.executable(name: "mailkernel", targets: ["mailkernel"])],
    dependencies: [
        .package(path: "Sources/MailKernelAPI"),
        .package(path: "Sources/MailKernelConformance"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibltdl", path: "Sources/CLibltdl", providers: [.apt(["libltdl-dev"])]),
        .systemLibrary(
            name: "CGMime", path: "Sources/CGMime", pkgConfig: "gmime-3.0",
            providers: [.apt(["libgmime-3.0-dev"])]),
        .systemLibrary(
            name: "CGumbo", path: "Sources/CGumbo", pkgConfig: "gumbo", providers: [.apt(["libgumbo-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", path: "Sources/CMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", path: "Sources/CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Sources/CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CSecret", path: "Sources/CSecret", pkgConfig: "libsecret-1",
            providers: [.apt(["libsecret-1-dev"])]),
        .systemLibrary(
            name: "CLogin", path: "Sources/CLogin", pkgConfig: "gio-2.0",
            providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(name: "CPAM", path: "Sources/CPAM", providers: [.apt(["libpam0g-dev"])]),
        .target(name: "CSockets"),
        .target(
            name: "Network", dependencies: [api, "CCurl", "COpenSSL", "CSockets"], swiftSettings: strict),
        .target(
            name: "Secrets", dependencies: [api, "CLogin", "COpenSSL", "CPAM", "CSecret"],
            swiftSettings: strict),
        .target(name: "CPluginHost"),
        .target(
            name: "CUnicodeSpoof",
            linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),
        .target(
            name: "MessageFormat", dependencies: [api, "CGMime", "CGumbo", "CUnicodeSpoof"],
            swiftSettings: strict),
        .target(name: "PluginHost", dependencies: [api, "CLibltdl", "CPluginHost"], swiftSettings: strict),
        .target(
            name: "Kernel",
            dependencies: [api, "CZlib", "MessageFormat", "Network", "PluginHost", "Secrets"],
            swiftSettings: strict),
        .target(
            name: "JMAP", dependencies: [api, "Kernel", "MessageFormat", "PluginHost"], swiftSettings: strict),
        .target(
            name: "LocalServer", dependencies: [api, "JMAP", "CMicroHTTPD", "COpenSSL", "CZlib"],
            swiftSettings: strict),
        .executableTarget(
            name: "mailkernel",
            dependencies: [
                api, conformance, "JMAP", "Kernel", "LocalServer", "Network", "PluginHost", "Secrets",
            ],
            swiftSettings: strict),
        .target(name: "TestSupport", dependencies: [api], path: "Tests/TestSupport", swiftSettings: strict),
        .systemLibrary(
            name: "CBenchmarks", path: "Tests/CBenchmarks", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "KernelSupport",
            dependencies: [api, conformance, "JMAP", "Kernel", "Network", "PluginHost", "Secrets"],
            path: "Tests/KernelSupport", swiftSettings: strict),
        .executableTarget(
            name: "mailkernel-bench",
            dependencies: [
                api, conformance, "CBenchmarks", "Kernel", "MessageFormat", "Network", "PluginHost",
                "TestSupport",
            ],
            path: "Tests/Benchmarks", swiftSettings: strict),
        .testTarget(name: "MailKernelAPITests", dependencies: [api], swiftSettings: strict),
        .testTarget(
            name: "PluginHostTests", dependencies: [api, conformance, "PluginHost", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "MessageFormatTests", dependencies: [api, "MessageFormat", "TestSupport"],
            exclude: ["Support"], swiftSettings: strict),
        .testTarget(
            name: "LocalServerTests", dependencies: [api, conformance, "JMAP", "LocalServer", "TestSupport"],
            swiftSettings: strict),
        // Uses the network in a process that can be watched from outside.
        .executableTarget(
            name: "network-trial", dependencies: [api, "Network"], path: "Tests/NetworkTrial",
            swiftSettings: strict),
        .testTarget(
            name: "NetworkTests", dependencies: [api, "Network", "TestSupport", "network-trial"],
            swiftSettings: strict),
        // Keeps secrets on the bus that its environment names.
        .executableTarget(
            name: "secrets-trial", dependencies: [api, "Secrets"], path: "Tests/SecretsTrial",
            swiftSettings: strict),
        .testTarget(
            name: "SecretsTests", dependencies: [api, "Secrets", "TestSupport", "secrets-trial"],
            swiftSettings: strict),
        .testTarget(
            name: "KernelTests",
            dependencies: [
                api, conformance, "Kernel", "KernelSupport", "Network", "PluginHost", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "JMAPTests",
            dependencies: [
                api, conformance, "JMAP", "Kernel", "KernelSupport", "Network", "Secrets", "TestSupport",
            ],
            swiftSettings: strict),
        // The plugin of models as it is built, on the real network.
        .testTarget(
            name: "ModelPluginTests",
            dependencies: [api, conformance, "Network", "PluginHost", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "ProgramTests", dependencies: [api, "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "ClientTests", dependencies: ["TestSupport"],
            exclude: ["ready.py", "with_jmapc.py", "with_jmaplib.py"], swiftSettings: strict),
        .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: strict),
    ]
)
