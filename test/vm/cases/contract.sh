# SPDX-License-Identifier: Apache-2.0
# NCCL's calling habits on kernel verbs: the contract host's cases with one rank on rxa0 and one on rxb0, then on two
# rails that are one device.

lint() {  # CASE [OPTION...]
  local name=$1; shift
  NCCL_IB_HCA=rxa0,rxb0 "$BUILD/test/net-lint" "$BUILD/libnccl-net-polyrail.so" --versions 12 --quick --patience 30 \
    --case "$name" "$@"
}
one_rail="virtual-devices self-connection accept-before-connect connect-before-accept closing-orders bootstrap full-queues
  oversize every-size empty-messages many-messages shared-comm optional-completion register-meanwhile ring-of-processes
  close-in-flight peer-dies peer-freezes two-nccls"
for name in $one_rail; do
  eval "case_contract_${name//-/_}() { lint $name --rank-env NCCL_IB_HCA=rxa0,rxb0; }"
done
for name in many-messages shared-comm optional-completion close-in-flight peer-dies; do
  eval "case_contract_2_rails_${name//-/_}() { lint $name --rank-env NCCL_IB_HCA=rxa,rxb --fuse 0,1; }"
done
