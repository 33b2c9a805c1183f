import FoundationEssentials
import MailKernelAPI
import Testing

@testable import LocalModels

@Suite("What a model file says of itself is not believed") struct HeaderTests {
    private func read(_ model: SmallModel) throws(GGUFError) -> GGUFHeader {
        try GGUFHeader(BoundedReader(model.file))
    }

    private func refusal(_ change: (inout SmallModel) -> Void) -> GGUFError? {
        var model = SmallModel()
        change(&model)
        do throws(GGUFError) {
            _ = try read(model)
            return nil
        } catch {
            return error
        }
    }

    @Test func aGoodFileIsUnderstood() throws {
        let header = try read(SmallModel())
        #expect(header.architecture == "llama" && header.tensors == 1)
        #expect(header.number("llama.block_count") == 2)
        #expect(!header.makesVectors)
        // 2 layers, 4 heads of 16, keys and values of two bytes for 1000 tokens.
        #expect(header.memoryNeeded(fileSize: 1, context: 1000) == 1 + 2 * 4 * 16 * 4 * 1000 + 300_000_000)
    }

    @Test func countsThatLieAreRefused() {
        #expect(refusal { $0.valueCount = .max } != nil)
        #expect(refusal { $0.valueCount = 5000 } != nil)
        #expect(refusal { $0.tensorCount = .max } != nil)
        #expect(refusal { $0.tensorCount = 99_999 } == .cutShort)
        #expect(refusal { $0.tensorCount = 0 } != nil)
        #expect(refusal { $0.values.append(("k", 8, SmallModel.bytes(UInt64.max))) } != nil)
        #expect(
            refusal { $0.values.append(("k", 9, SmallModel.bytes(UInt32(6)) + SmallModel.bytes(UInt64.max))) }
                != nil)
    }

    @Test func tensorsBeyondTheFileAreRefused() {
        #expect(refusal { $0.body = 511 } == .cutShort)
        #expect(refusal { $0.tensors[0].offset = 32 } == .cutShort)
        #expect(refusal { $0.tensors[0].offset = .max } != nil)
        #expect(refusal { $0.tensors[0].offset = UInt64(Int.max) } != nil)
        #expect(refusal { $0.tensors[0].extents = [1 << 40, 1 << 40] } != nil)
        #expect(refusal { $0.tensors[0].extents = [0, 4] } != nil)
        #expect(refusal { $0.tensors[0].extents = [1, 1, 1, 1, 1] } != nil)
        #expect(refusal { $0.tensors[0].extents = [] } == nil)
    }

    @Test func typesThatAreNotKnownAreRefused() {
        #expect(refusal { $0.tensors[0].type = 4 } != nil)
        #expect(refusal { $0.tensors[0].type = .max } != nil)
        // Rows of 32 are no whole blocks of 256.
        #expect(refusal { $0.tensors[0].type = 12 } != nil)
        #expect(refusal { $0.values.append(("k", 99, [])) } != nil)
        #expect(
            refusal { $0.values.append(("k", 9, SmallModel.bytes(UInt32(9)) + SmallModel.bytes(UInt64(0)))) }
                != nil)
    }

    @Test func namesAreThereOnce() {
        #expect(refusal { $0.values.append($0.values[0]) } != nil)
        #expect(refusal { $0.tensors.append($0.tensors[0]) } != nil)
        #expect(refusal { $0.values.removeFirst() } != nil)
        #expect(refusal { $0.values.append(("general.alignment", 4, SmallModel.bytes(UInt32(24)))) } != nil)
        #expect(refusal { $0.values.append(("general.alignment", 4, SmallModel.bytes(UInt32(0)))) } != nil)
    }

    /// What is kept of a header is in memory: names have the length of names.
    @Test func namesAreShort() {
        let number = SmallModel.bytes(UInt32(1))
        #expect(refusal { $0.values.append((String(repeating: "k", count: 256), 4, number)) } == nil)
        #expect(refusal { $0.values.append((String(repeating: "k", count: 257), 4, number)) } != nil)
        #expect(refusal { $0.tensors[0].name = String(repeating: "t", count: 64) } == nil)
        #expect(refusal { $0.tensors[0].name = String(repeating: "t", count: 65) } != nil)
        #expect(refusal { $0.values += (0..<1000).map { ("k\($0)", 4, number) } } != nil)
    }

    @Test func otherFilesAreNoModels() {
        #expect(refusal { $0.magic = Array("GGML".utf8) } == .notGGUF)
        #expect(refusal { $0.version = 1 } == .version(1))
        #expect(refusal { $0.version = 0x0300_0000 } == .version(0x0300_0000))
        for count in [0, 3, 4, 8, 23] {
            let file = Array(SmallModel().file.prefix(count))
            #expect(throws: GGUFError.self) { try GGUFHeader(BoundedReader(file)) }
        }
    }

    /// Every beginning of a good file is cut short somewhere, and is found to be.
    @Test func everyBeginningIsCutShort() {
        let file = SmallModel().file
        for count in 24..<file.count {
            #expect(throws: GGUFError.self) { try GGUFHeader(BoundedReader(Array(file.prefix(count)))) }
        }
    }

    /// Whatever is changed in a good file: it is read or refused, and nothing else happens.
    @Test func changedFilesAreReadOrRefused() {
        var random = SeededNumbers(state: 7)
        let good = SmallModel().file
        var refused = 0
        for _ in 0..<20_000 {
            var file = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<file.count - 512, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: file[place] = .random(in: 0...255, using: &random)
                case 1: file[place] = 255
                case 2: file.remove(at: place)
                default: file.insert(.random(in: 0...255, using: &random), at: place)
                }
            }
            do throws(GGUFError) {
                _ = try GGUFHeader(BoundedReader(file))
            } catch {
                refused += 1
            }
        }
        #expect(refused > 1000)
    }

    @Test(.enabled(if: TestModels.areHere, Comment(rawValue: TestModels.missing)))
    func realModelsAreUnderstood() throws {
        let writer = try #require(OpenFile.readingModel(TestModels.file(TestModels.writer).path))
        let reader = try #require(OpenFile.readingModel(TestModels.file(TestModels.reader).path))
        let (writes, reads) = try (GGUFHeader(BoundedReader(writer)), GGUFHeader(BoundedReader(reader)))
        #expect(writes.architecture == "llama" && !writes.makesVectors && writes.tensors > 100)
        #expect(reads.architecture == "bert" && reads.makesVectors)
        #expect(writes.text("general.license") == "apache-2.0")
    }
}

/// Random numbers that are the same for the same seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
