#!/usr/bin/env bash
# Sets up, builds and serves the page on 127.0.0.1.
#
#   ./web/run.sh [--port N] [--build-only] [--workspace DIR] [--delay MS]
#
#   --port N         listen there (default 8765; the next free one if that is taken)
#   --build-only     stop after the build
#   --workspace DIR  the files that the page's tools read (default: this checkout)
#   --delay MS       answer each tool request that much later, to see the waiting
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build_only=no
port=()
serve=()
while [ $# -gt 0 ]; do
  case "$1" in
    --build-only) build_only=yes; shift ;;
    --port)
      [[ "${2:-}" =~ ^[0-9]+$ ]] && [ "$2" -le 65535 ] || { echo "run.sh: --port needs a number up to 65535" >&2; exit 2; }
      port=(--port "$2"); shift 2 ;;
    --workspace | --delay)
      [ -n "${2:-}" ] || { echo "run.sh: $1 needs a value" >&2; exit 2; }
      serve+=("$1" "$2"); shift 2 ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' web/run.sh; exit 0 ;;
    *) echo "run.sh: unknown argument $1 (see --help)" >&2; exit 2 ;;
  esac
done

./setup.sh --web
. build/env.sh
# Only what the page needs: the wasm core and the wasm viewer.
cmake --preset wasm -DPYSOLATE_TESTS=OFF >build/wasm-configure.log || { cat build/wasm-configure.log >&2; exit 1; }
cmake --build --preset wasm
node web/build.mjs
[ "$build_only" = no ] || exit 0
exec node web/server/serve.mjs --site build/site "${port[@]}" "${serve[@]}"
