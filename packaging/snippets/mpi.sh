#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Open MPI hands on only what -x names (MPICH: -genv NAME VALUE).
mpirun -np 32 --hostfile hosts -x NCCL_TUNER_PLUGIN=polyrail -x NCCL_NET_PLUGIN=polyrail -x POLYRAIL_POLICY ./train
