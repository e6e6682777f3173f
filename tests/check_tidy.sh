#!/usr/bin/env bash
# clang-tidy over the native sources, with the checks of .clang-tidy.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
db=build/native
mapfile -t files < <(git ls-files 'core/*.cc' 'viz/model/*.cc' | grep -v '^core/python/')
printf '%s\n' "${files[@]}" | xargs -P 2 -n 4 clang-tidy -p "$db" --quiet --extra-arg=-Wno-unknown-warning-option
echo "tidy: ${#files[@]} files keep to it"
