#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Open MPI hands on only what -x names (MPICH: -genv NCCL_TUNER_PLUGIN polyrail).
mpirun -np 32 --hostfile hosts -x NCCL_TUNER_PLUGIN=polyrail -x POLYRAIL_POLICY ./train
