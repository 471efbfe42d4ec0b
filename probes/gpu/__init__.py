"""GPUs: this machine's through NVML, or those of a saved nvidia-smi report or series."""
