#!/usr/bin/env bash
# Builds the Python package as it is published into a folder, a wheel for manylinux2014 and a source distribution, and checks
# both: the wheel needs no newer libraries than manylinux2014 has, and both run a simulation in fresh environments. The wheel is
# linked with Zig, which knows the symbols of old versions of glibc.
set -euo pipefail
out=$(realpath -m "${1:?usage: nhi-python/package.sh FOLDER}")
cd "$(dirname "$0")/.."
# Other builds have compiled dependencies there.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet 'maturin>=1.9,<2' ziglang auditwheel
PATH="$work/tools/bin:$PATH"

maturin build --release --zig --compatibility manylinux2014 --manifest-path nhi-python/Cargo.toml --out "$out"
maturin sdist --manifest-path nhi-python/Cargo.toml --out "$out"

wheel=$(ls -t "$out"/nhi-*manylinux2014*.whl | head -1)
source=$(ls -t "$out"/nhi-*.tar.gz | head -1)
auditwheel show "$wheel" | tee "$work/audit"
grep -q "manylinux_2_17_$(uname -m)" "$work/audit"

# Files of a source distribution have one time, by which cargo would take crates that it has built from an earlier one.
rm -rf "$CARGO_TARGET_DIR"/debug/.fingerprint/nhi-*

for package in "$wheel" "$source"; do
  python3 -m venv --clear "$work/env"
  # What counts of the source distribution is that it is complete, which an unoptimised build shows in less time.
  MATURIN_PEP517_ARGS="--profile dev" "$work/env/bin/pip" install --quiet "$package"
  # Not here, where `nhi` could be another one.
  (cd "$work" && env/bin/python -c '
import nhi
run = nhi.models.sleigh_com.simulate(dict(m=1, I=0.5, a=0.2), q0=[0, 0, 0], v0=[1, 0.5, 0.1], h=0.01, steps=1000, project=True)
assert abs(run.energy[-1] / run.energy[0] - 1) < 1e-3, run.energy')
done
