import Inference

// The same program, linked with what ggml computes with wider registers.
Inference.main()
