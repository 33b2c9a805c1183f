import CMailKernelPlugin
import Foundation
import MailKernelAPI

/// Shared libraries in C, for plugins that are broken in ways that Swift would not compile.
public enum CLibrary {
    /// What the compiler of these tests calls itself in a descriptor.
    public static let thisSwift = APIVersion.compiler

    /// Compiles C into a library.
    public static func build(_ source: String, to library: URL, options: [String] = []) async throws {
        let file = library.deletingPathExtension().appendingPathExtension("c")
        try Data(source.utf8).write(to: file)
        let include = Checkout.root.appending(path: "Sources/MailKernelAPI/CMailKernelPlugin/include").path
        let built = try await Command.run(
            "clang", ["-shared", "-fPIC", "-I", include, "-o", library.path, file.path] + options)
        guard built.status == 0 else { throw CLibraryError(description: built.errors) }
        try FileManager.default.removeItem(at: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: library.path)
    }

    /// A plugin in C whose descriptor is right but for what is given, and that makes no provider.
    public static func plugin(
        magic: String = "MAILKERNEL_PLUGIN_MAGIC", size: String = "sizeof(mailkernel_descriptor)",
        major: Int = APIVersion.current.major, minor: Int = APIVersion.current.minor,
        fingerprint: String = APIVersion.fingerprint, swift: String = thisSwift, more: String = ""
    ) -> String {
        """
        #include "CMailKernelPlugin.h"
        #include <stdlib.h>
        #include <unistd.h>
        static mailkernel_descriptor descriptor = {
            \(magic), \(size), \(major), \(minor), "\(fingerprint)", "\(swift)"
        };
        \(more)
        #ifndef ANSWER
        #define ANSWER
        #endif
        void *mailkernel_plugin(void *question) {
            if (!question) return &descriptor;
            ANSWER;
            return 0;
        }
        """
    }
}

public struct CLibraryError: Error, CustomStringConvertible {
    public let description: String
}
