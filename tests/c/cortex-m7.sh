#!/usr/bin/env bash
# Generated C on a Cortex-M7 in QEMU: the same bits as on this machine; flash, stack and instructions per step. And the
# example of docs/c.md on this machine.
# Needs gcc, arm-none-eabi-gcc with newlib and qemu-system-arm. NHI is the command, `cargo run` of it if not given.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=${CARGO_TARGET_DIR:-target}/tmp/cortex-m7
rm -rf "$folder"
mkdir -p "$folder"
nhi() { if [ -n "${NHI:-}" ]; then "$NHI" "$@"; else cargo run --quiet -p nhi-cli -- "$@"; fi; }
nhi generate models/src/sleigh_com.rs --lang c --method dla2 --out "$folder"
nhi generate models/src/vertical_disk.rs --lang c --method rattle --out "$folder"
nhi generate models/src/lie/snakeboard.rs --lang c --method rdp --out "$folder"
# The first block of a language in docs/c.md.
block() { awk -v open="\`\`\`$1" '$0 == open { on = 1; next } on && $0 == "```" { exit } on' docs/c.md; }
block c >"$folder/example.c"
block text >"$folder/example.txt"
cp tests/c/main.c tests/c/startup.c "$folder"
cd "$folder"

warnings=(-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror)
both=(-O2 -ffp-contract=off -DNHI_OWN_MATH)
gcc "${warnings[@]}" "${both[@]}" main.c sleigh_com.c vertical_disk.c snakeboard.c -o host
./host >host.txt

target=(-mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard)
for source in main sleigh_com vertical_disk snakeboard; do
  arm-none-eabi-gcc "${warnings[@]}" "${both[@]}" "${target[@]}" -fstack-usage -c $source.c -o $source.o
done
arm-none-eabi-gcc -O2 "${target[@]}" -c startup.c -o startup.o
arm-none-eabi-gcc "${target[@]}" --specs=rdimon.specs -Wl,--section-start=.vectors=0 \
  startup.o main.o sleigh_com.o vertical_disk.o snakeboard.o -o target.elf

# One nanosecond of virtual time for an instruction.
timeout 120 qemu-system-arm -M mps2-an500 -display none -monitor none -serial none \
  -semihosting-config enable=on,target=native -icount shift=0 -kernel target.elf </dev/null >target.txt

grep -v '^#' target.txt | diff -q - host.txt >/dev/null || {
  echo "the bits on the Cortex-M7 are not those of this machine:" >&2
  diff target.txt host.txt >&2 || true
  exit 1
}
[ "$(grep -c -e '^sleigh_com dla2 ' -e '^vertical_disk rattle ' -e '^snakeboard rdp ' host.txt)" -eq 30 ]
echo "the same bits after 10000 steps of every method"
grep '^#' target.txt | sed 's/^# //'
for name in sleigh_com vertical_disk snakeboard; do
  arm-none-eabi-size $name.o | awk -v name=$name 'NR == 2 { print name ": " $1 " bytes of flash, " $2 + $3 " of static data" }'
  awk -F '\t' -v name=$name '$2 > most { most = $2; sub(/.*:/, "", $1); at = $1 }
    END { print name ": largest stack frame " most " bytes, of " at }' $name.su
  if grep -q dynamic $name.su; then
    echo "$name: a stack frame has no bound" >&2
    exit 1
  fi
done

gcc "${warnings[@]}" -O2 -ffp-contract=off example.c sleigh_com.c -o example -lm
./example | diff example.txt -
