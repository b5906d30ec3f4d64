"""Counts the operations of Symbolica's evaluators for the expressions that the example `horner` writes.

A product with -1 counts as nothing, because signs become part of additions. Integer powers count their products, and one
division if they are negative. Functions are not counted, on either side.
"""

import json
import re
import sys
import time

from symbolica import E, Expression, S


def operations(instructions, constants):
    """Additions, multiplications and divisions of evaluator instructions."""
    adds = muls = divs = 0
    for instruction in instructions:
        match instruction[0]:
            case "add":
                adds += len(instruction[2]) - 1
            case "mul":
                signs = [a for a in instruction[2] if a[0] == "const" and str(constants[a[1]]) == "-1"]
                muls += len(instruction[2]) - 1 - len(signs)
            case "pow":
                exponent = instruction[3]
                muls += max(abs(exponent) - 1, 0)
                divs += exponent < 0
            case "fun" | "assign":
                pass
            case other:
                raise ValueError(f"instruction {other}")
    return adds, muls, divs


def evaluator(values, iterations):
    """The instructions and constants of an evaluator for all `values` together."""
    text = ",".join(values)
    parameters = [S(name) for name in sorted(set(re.findall(r"\b(?:s\d+|number_pi)\b", text)))]
    # Calls of functions are numbers that are known: the arguments are further values.
    values, calls = without_calls(values)
    parameters += [S(name) for name in calls]
    made = Expression.evaluator_multiple(
        [E(value) for value in values], parameters, iterations=iterations, n_cores=1, jit_compile=False
    )
    instructions, _, constants = made.get_instructions()
    return instructions, constants


def without_calls(values):
    """`values` with a symbol for each call, and the arguments of the calls as further values; and these symbols."""
    calls = {}
    arguments = []
    found = re.compile(r"f_\w+\(")

    def replace(text):
        out = ""
        while match := found.search(text):
            depth, end = 1, match.end()
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            call = match.group() + replace(text[match.end() : end - 1]) + ")"
            if call not in calls:
                calls[call] = f"call{len(calls)}"
                arguments.extend(split(call[len(match.group()) : -1]))
            out += text[: match.start()] + calls[call]
            text = text[end:]
        return out + text

    def split(text):
        depth, part, parts = 0, "", []
        for c in text:
            depth += {"(": 1, ")": -1}.get(c, 0)
            if c == "," and depth == 0:
                parts.append(part)
                part = ""
            else:
                part += c
        return parts + [part]

    values = [replace(value) for value in values]
    return values + arguments, list(calls.values())


def main():
    """Prints one row of a table for each line of the file."""
    for line in open(sys.argv[1]):
        program = json.loads(line)
        ours = program["operations"]
        row = [program["form"], program["part"], " + ".join(map(str, ours)) + f" = {sum(ours)}"]
        for iterations in map(int, sys.argv[2:] or ["1", "100"]):
            begin = time.time()
            theirs = operations(*evaluator(program["values"], iterations))
            row.append(" + ".join(map(str, theirs)) + f" = {sum(theirs)} ({time.time() - begin:.1f} s)")
        print("| " + " | ".join(row) + " |", flush=True)


main()
