"""Files: models in safetensors files, ONNX graphs, atomic writes."""
