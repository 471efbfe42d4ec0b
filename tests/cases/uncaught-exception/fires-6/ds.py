def __getitem__(self, i):
    start = self.offsets[i + 1]
