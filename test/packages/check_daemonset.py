#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_daemonset.py FILE VERSION: is the DaemonSet one that an API server would take, and does it call put-on-host rightly?

Not a schema: what Kubernetes checks between fields (apps/v1, "Validate" in its API conventions) and what only this project
knows: the image's version, put-on-host's two arguments, and that both are mounted.
"""
import re
import sys

import yaml

# Fields of the kinds used here, from the API reference of apps/v1 and core/v1 (Kubernetes 1.30); a misspelt one is dropped in silence.
KNOWN = {
    "top": {"apiVersion", "kind", "metadata", "spec"},
    "spec": {"selector", "template", "updateStrategy", "minReadySeconds", "revisionHistoryLimit"},
    "pod": {"nodeSelector", "tolerations", "automountServiceAccountToken", "initContainers", "containers", "volumes"},
    "container": {"name", "image", "args", "command", "volumeMounts", "resources", "securityContext", "imagePullPolicy"},
    "mount": {"name", "mountPath", "readOnly"},
}
DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def unknown(kind, fields):
    return [f"{kind}: unknown field {f}" for f in fields if f not in KNOWN[kind]]


def container_problems(container, volumes, version):
    """What is wrong with one container of the pod."""
    problems = unknown("container", container)
    if not DNS_LABEL.fullmatch(container["name"]):
        problems.append(f"{container['name']}: no DNS label")
    if container["image"] != f"polyrail:{version}":
        problems.append(f"{container['name']}: image {container['image']}, this is version {version}")
    for mount in container.get("volumeMounts", []):
        problems += unknown("mount", mount)
        if mount["name"] not in volumes:
            problems.append(f"{container['name']}: no volume {mount['name']}")
        if not mount["mountPath"].startswith("/"):
            problems.append(f"{container['name']}: {mount['mountPath']} is no absolute path")
    return problems


def call_problems(put):
    """put-on-host FOLDER POLICY: both must lie in what is mounted, the folder in the host's."""
    mounts = {m["mountPath"]: m for m in put["volumeMounts"]}
    folder, policy = put["args"]
    if folder not in mounts or mounts[folder].get("readOnly"):
        return [f"{folder} is not mounted for writing"]
    return [] if policy.rsplit("/", 1)[0] in mounts else [f"{policy} is not in a mounted folder"]


def problems_of(document, version):
    """All that is wrong, one sentence each."""
    pod_template = document["spec"]["template"]
    pod = pod_template["spec"]
    problems = unknown("top", document) + unknown("spec", document["spec"]) + unknown("pod", pod)
    if (document["apiVersion"], document["kind"]) != ("apps/v1", "DaemonSet"):
        problems.append("not an apps/v1 DaemonSet")
    if document["spec"]["selector"]["matchLabels"].items() - pod_template["metadata"]["labels"].items():
        problems.append("the selector does not match the template's labels")
    volumes = [v["name"] for v in pod["volumes"]]
    for container in pod["initContainers"] + pod["containers"]:
        problems += container_problems(container, volumes, version)
    return problems + call_problems(pod["initContainers"][0])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        documents = list(yaml.safe_load_all(file))
    problems = problems_of(documents[0], sys.argv[2]) if len(documents) == 1 else ["one document is wanted"]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


sys.exit(main())
