# SPDX-License-Identifier: Apache-2.0
# Sourced by build-policy-rpm and build-policy-deb: arguments POLYRAIL POLICY CLUSTER OUT, checked.
polyrail=$(realpath "$1") policy=$2 cluster=$3 out=$4
[ -n "$policy" ] && [ -n "$cluster" ] || { echo "give POLICY=FILE CLUSTER=NAME" >&2; exit 2; }
printf '%s' "$cluster" | grep -qxE '[a-z0-9][a-z0-9.+-]*' || { echo "CLUSTER=$cluster: lower-case letters, digits and .+- only, as in a package's name" >&2; exit 2; }
"$polyrail" check "$policy" || { echo "$policy has errors: no package is made of it" >&2; exit 1; }
digest=$("$polyrail" policy digest "$policy" | cut -c 1-64)
name=polyrail-policy-$cluster
# Upgrades need a version that grows; a policy has none, so the time counts. Two packages of one minute are told apart by digest.
version=${POLICY_VERSION:-$(date -u -d "@${POLICY_EPOCH:-$(stat -c %Y "$policy")}" +%Y%m%d.%H%M%S)}
summary="polyrail's policy for the cluster $cluster"
mkdir -p "$out"
top=$(mktemp -d); trap 'rm -rf "$top"' EXIT
