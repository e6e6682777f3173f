#!/usr/bin/env bash
# Every C++ file is as clang-format (Debian's 14) leaves it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mapfile -t files < <(git ls-files '*.h' '*.cc')
[ ${#files[@]} -gt 0 ]
clang-format --dry-run -Werror "${files[@]}"
echo "format: ${#files[@]} files keep to it"
