# SPDX-License-Identifier: Apache-2.0
# . polyrail-env.sh (bash or zsh): puts this folder's plugins and command in front and switches both plugins on.
_polyrail_home=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")" && pwd)
export LD_LIBRARY_PATH="$_polyrail_home/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PATH="$_polyrail_home/bin:$PATH"
export MANPATH="$_polyrail_home/share/man:${MANPATH:-}"
export NCCL_TUNER_PLUGIN=polyrail NCCL_NET_PLUGIN=polyrail
unset _polyrail_home
