// Rules for what Kubernetes is given: the files of deploy/ can be read, and name what exists.
#pragma once

#include "tests/style/source_tree.h"

namespace longshore::style {

// The YAML of deploy/ is in order: spaces alone, deeper only where something is opened, a key once,
// brackets and quotes closed. It is the part of YAML that manifests here are written in: blocks of
// keys and items, with texts and flow collections of one line.
Findings check_yaml(const SourceTree& tree);

// Each volume that a container mounts is one of its file.
Findings check_volumes(const SourceTree& tree);

// What a kustomization.yaml names lies beside it, and all that lies beside it is named.
Findings check_kustomizations(const SourceTree& tree);

// HostProcess pods of Windows are as Kubernetes admits them: on nodes of Windows, on the node's
// network, and in a namespace, beside them, that admits privileged pods. They mount no pipe, which
// are the node's.
Findings check_windows_pods(const SourceTree& tree);

}  // namespace longshore::style
