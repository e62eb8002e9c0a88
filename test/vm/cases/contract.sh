# SPDX-License-Identifier: Apache-2.0
# NCCL's calling habits on kernel verbs: the contract host's cases, each in processes of its own.

case_contract() {
  local cases="virtual-devices self-connection accept-before-connect connect-before-accept closing-orders bootstrap full-queues
    oversize every-size empty-messages many-messages shared-comm optional-completion register-meanwhile ring-of-processes
    close-in-flight peer-dies peer-freezes two-nccls"
  # shellcheck disable=SC2046
  lint rxa0,rxb0 $(printf -- '--case %s ' $cases)
}
case_contract_on_two_rails() {  # that are one device
  # shellcheck disable=SC2046
  lint rxa,rxb --fuse 0,1 $(printf -- '--case %s ' many-messages shared-comm optional-completion close-in-flight peer-dies)
}
