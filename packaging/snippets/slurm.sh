#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#SBATCH --nodes=4 --ntasks-per-node=8 --gpus-per-node=8
# Slurm: look whether the nodes agree (policy, plugins, NCCL), then run. srun hands the environment on.
polyrail policy compare --hosts "$SLURM_JOB_NODELIST" --launcher srun || exit 1
export NCCL_TUNER_PLUGIN=polyrail NCCL_NET_PLUGIN=polyrail
srun ./train
