import Inference

// The same program, linked with ggml's code for wider registers.
Inference.main()
