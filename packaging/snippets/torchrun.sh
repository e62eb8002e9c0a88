#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torchrun hands its environment to its workers; run this on every node.
export NCCL_TUNER_PLUGIN=polyrail NCCL_NET_PLUGIN=polyrail
exec torchrun --nnodes="$NNODES" --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint="$HEAD_NODE" train.py
