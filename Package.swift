// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let digest = Target.Dependency.product(name: "Digest", package: "Digest")
let storeRules = Target.Dependency.product(name: "StoreRules", package: "StoreRules")
let sieve = Target.Dependency.product(name: "Sieve", package: "Sieve")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")

/// The kernel's modules, each above those that it may import.
let kernel: [Target.Dependency] = [
    "Store", "PluginCalls", "Mail", "Sync", "Accounts", "Compose", "Intelligence", "Care", "Rules", "Kernel",
]

let package = Package(
    name: "mailkernel",
    products: [.executable(name: "mailkernel", targets: ["mailkernel"])],
    dependencies: [
        .package(path: "Sources/Digest"),
        .package(path: "Sources/MailKernelAPI"),
        .package(path: "Sources/MailKernelConformance"),
        .package(path: "Sources/Sieve"),
        .package(path: "Sources/StoreRules"),
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
            name: "CCharsets", linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),
        .target(
            name: "MessageFormat",
            dependencies: [api, storeRules, "CCharsets", "CGMime", "CGumbo", "CUnicodeSpoof"],
            swiftSettings: strict),
        .target(
            name: "CICal",
            linkerSettings: [
                .linkedLibrary("ical"), .linkedLibrary("icui18n"), .linkedLibrary("icuuc"),
            ]),
        .target(name: "Invitations", dependencies: ["CICal"], swiftSettings: strict),
        .target(name: "PluginHost", dependencies: [api, "CLibltdl", "CPluginHost"], swiftSettings: strict),
        .target(name: "Store", dependencies: [api, "PluginHost"], swiftSettings: strict),
        .target(name: "PluginCalls", dependencies: [api, "PluginHost", "Store"], swiftSettings: strict),
        .target(
            name: "Mail", dependencies: [api, storeRules, "CZlib", "MessageFormat", "Network", "Store"],
            swiftSettings: strict),
        .target(
            name: "Sync", dependencies: [api, "Mail", "MessageFormat", "PluginCalls", "Store"],
            swiftSettings: strict),
        .target(
            name: "Accounts",
            dependencies: [
                api, digest, "CGMime", "Mail", "Network", "PluginCalls", "PluginHost", "Secrets", "Store",
                "Sync",
            ],
            swiftSettings: strict),
        .target(
            name: "Compose",
            dependencies: [api, "Accounts", "Invitations", "Mail", "MessageFormat", "Store", "Sync"],
            swiftSettings: strict),
        .target(
            name: "Intelligence",
            dependencies: [api, "Mail", "MessageFormat", "PluginCalls", "PluginHost", "Store"],
            swiftSettings: strict),
        .target(
            name: "Care",
            dependencies: [api, digest, "Accounts", "CZlib", "Mail", "MessageFormat", "Store", "Sync"],
            swiftSettings: strict),
        .target(
            name: "Rules",
            dependencies: [
                api, sieve, "Accounts", "Compose", "Mail", "MessageFormat", "PluginCalls", "Store",
            ],
            swiftSettings: strict),
        .target(
            name: "Kernel",
            dependencies: [
                api, "Accounts", "Care", "Compose", "Intelligence", "Mail", "MessageFormat", "Network",
                "PluginCalls", "PluginHost", "Rules", "Secrets", "Store", "Sync",
            ],
            swiftSettings: strict),
        .target(
            name: "JMAP", dependencies: kernel + [api, digest, "Invitations", "MessageFormat", "PluginHost"],
            swiftSettings: strict),
        .target(
            name: "LocalServer",
            dependencies: [api, digest, "JMAP", "CMicroHTTPD", "COpenSSL", "CSockets", "CZlib"],
            swiftSettings: strict),
        .executableTarget(
            name: "mailkernel",
            dependencies: kernel + [
                api, conformance, "JMAP", "LocalServer", "Network", "PluginHost", "Secrets",
            ],
            swiftSettings: strict),
        .target(name: "TestSupport", dependencies: [api], path: "Tests/TestSupport", swiftSettings: strict),
        .systemLibrary(
            name: "CBenchmarks", path: "Tests/CBenchmarks", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "KernelSupport",
            dependencies: kernel + [api, conformance, "JMAP", "Network", "PluginHost", "Secrets"],
            path: "Tests/KernelSupport", swiftSettings: strict),
        .executableTarget(
            name: "mailkernel-bench",
            dependencies: kernel + [
                api, conformance, "CBenchmarks", "MessageFormat", "Network", "PluginHost", "TestSupport",
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
            name: "InvitationTests", dependencies: ["Invitations", "TestSupport"], swiftSettings: strict),
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
            dependencies: kernel + [
                api, conformance, "KernelSupport", "Network", "PluginHost", "Secrets", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "JMAPTests",
            dependencies: kernel + [
                api, conformance, "JMAP", "KernelSupport", "Network", "Secrets", "TestSupport",
            ],
            swiftSettings: strict),
        // The plugin of models as it is built, on the real network.
        .testTarget(
            name: "ModelPluginTests",
            dependencies: [api, conformance, "Network", "PluginHost", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ProgramTests", dependencies: [api, conformance, "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "ClientTests", dependencies: ["TestSupport"],
            exclude: [
                "day.py", "ready.py", "with_jmap_engine.py", "with_jmapc.py", "with_jmaplib.py",
                "with_websockets.py",
            ], swiftSettings: strict),
        .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: strict),
    ]
)
