#!/usr/bin/env bash
# Sets up, builds and runs every test.
#
#   ./tests/run.sh [--quick] [--sanitize] [--only STAGE[,STAGE]] [--list]
#
#   --quick     fewer generated programs: what one runs before each commit
#   --sanitize  also build with ASan and UBSan, and run the C++ tests so
#   --only      just these stages (after set-up and build)
#
# Each stage prints its own runner's output into build/test-logs/STAGE.log; a failing stage's log is shown. The last line
# counts the stages.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

quick=no
sanitize=no
only=""
list=no
while [ $# -gt 0 ]; do
  case "$1" in
    --quick) quick=yes; shift ;;
    --only) [ -n "${2:-}" ] || { echo "run.sh: --only needs stage names" >&2; exit 2; }; only=",$2,"; shift 2 ;;
    --sanitize) sanitize=yes; shift ;;
    --list) list=yes; shift ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' tests/run.sh; exit 0 ;;
    *) echo "run.sh: unknown argument $1 (see --help)" >&2; exit 2 ;;
  esac
done

passed=0
failed=0
logs=build/test-logs
mkdir -p "$logs"

# stage NAME COMMAND...: one line in the summary; its output is kept, and shown when it fails.
stage() {
  local name=$1 started=$SECONDS
  shift
  [ -z "$only" ] || [[ "$only" == *",$name,"* ]] || return 0
  if [ "$list" = yes ]; then echo "$name"; return 0; fi
  if "$@" >"$logs/$name.log" 2>&1; then
    passed=$((passed + 1))
    printf 'ok    %-18s %4ds  %s\n' "$name" $((SECONDS - started)) "$(summary "$logs/$name.log")"
  else
    failed=$((failed + 1))
    printf 'FAIL  %-18s %4ds  %s\n' "$name" $((SECONDS - started)) "(log: $logs/$name.log)"
    tail -n 60 "$logs/$name.log" | sed 's/^/      | /'
  fi
}
# The runner's own closing line, to be seen at a glance.
summary() {
  grep -hE '(tests passed|[0-9]+ passed|assertions:|^# pass [0-9]|passed, [0-9]+ failed|keep to them)' "$1" | tail -n 1 | sed 's/^ *//; s/\x1b\[[0-9;]*m//g'
}

must() {  # a build step: nothing can be tested without it
  local name=$1 started=$SECONDS
  shift
  if "$@" >"$logs/$name.log" 2>&1; then
    printf 'built %-18s %4ds\n' "$name" $((SECONDS - started))
  else
    tail -n 60 "$logs/$name.log"
    echo "run.sh: $name failed (log: $logs/$name.log)" >&2
    exit 1
  fi
}

build_preset() {  # PRESET [cmake args]
  local preset=$1
  shift
  cmake --preset "$preset" "$@" && cmake --build --preset "$preset"
}

if [ "$list" = no ]; then
  ./setup.sh || exit 1
  . build/env.sh
  must native build_preset release -DPYSOLATE_TESTS=ON
  must wasm build_preset wasm -DPYSOLATE_TESTS=ON
  must page node web/build.mjs
  [ "$sanitize" = no ] || must asan build_preset asan
fi
PY=${PYSOLATE_PYTHON:-python3}
# Program-schedules of generated programs: any number by hand, these for a run that is waited for.
if [ "$quick" = yes ]; then generated=1000; else generated=4000; fi
export PYSOLATE_GENERATED=${PYSOLATE_GENERATED:-$generated}

stage layers "$PY" tests/check_layers.py
stage format bash tests/check_format.sh
stage core ctest --test-dir build/native --output-on-failure -j2
stage wasm ctest --test-dir build/wasm --output-on-failure
stage python "$PY" -m pytest -q -p no:cacheprovider tests/core tests/python
stage pyodide node --experimental-wasm-stack-switching --no-warnings --test --test-concurrency=1 tests/python/pyodide_*.test.mjs
stage server node --test tests/web/server_*.test.mjs
stage viewer node --test --test-concurrency=1 tests/viz/ui_*.test.mjs
stage page node --test --test-concurrency=1 tests/web/page_*.test.mjs tests/web/firefox.test.mjs
if [ "$sanitize" = yes ]; then
  stage asan ctest --test-dir build/asan --output-on-failure -j2
fi

[ "$list" = no ] || exit 0
echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
