# nanoGPT
batch_size = 12
block_size = 1024
gradient_accumulation_steps = 40
dropout = 0.1
learning_rate = 6e-4
max_iters = 2000
lr_decay_iters = 2000
warmup_iters = 100
min_lr = 6e-5
grad_clip = 1.0
