#!/bin/bash
python -m lm.training.train --config config.yaml
