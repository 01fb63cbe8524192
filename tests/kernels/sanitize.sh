#!/bin/sh
# Compiles the kernels with the address and undefined-behaviour sanitizers and runs their tests, on copies in a temporary
# folder; then fuzzes them for FUZZ_SECONDS (10; 0 for none). Needs gcc with its sanitizer libraries.
# Usage: PYTHON=python3 FUZZ_SECONDS=10 tests/kernels/sanitize.sh [arguments for pytest]
set -eu

python=${PYTHON:-python3}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/tests"
cp -R "$root/greppy" "$work/greppy"
cp -R "$root/tests/kernels" "$work/tests/kernels"
rm -f "$work"/greppy/kernels/_fast*.so

include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
gcc -std=gnu11 -O1 -g -Wall -Wextra -ffp-contract=off -fPIC -shared -fno-omit-frame-pointer \
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -I"$include" \
    "$work"/greppy/kernels/*.c -o "$work/greppy/kernels/_fast$suffix" -pthread

# Python itself leaks on exit; its own allocator would hide overruns from the sanitizer.
cd "$work"
export LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
export ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1
"$python" -m pytest -q -p no:cacheprovider --import-mode=importlib --rootdir="$work" --basetemp="$work/tmp" tests/kernels "$@"
if [ "${FUZZ_SECONDS:-10}" != 0 ]; then
    PYTHONPATH="$work" "$python" tests/kernels/fuzz.py "${FUZZ_SECONDS:-10}"
fi
