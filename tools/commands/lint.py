# SPDX-License-Identifier: GPL-2.0-only
"""Checks the rules of the house: format, layers, budgets, words, sentences, mutexes, the checks of
clang-tidy, the plugin's symbols.

clang-tidy also checks which mutex guards what (tools/clang.py); what it has passed it does not read
again.

A budget may be exceeded only as far as tools/rules/baseline.json says; --shrink lowers those
numbers to what is needed today. Nothing raises them but a change of that file in plain sight.
"""

HELP = "checks the rules: format, layers, budgets, words, clang-tidy"


def add_arguments(parser) -> None:
    parser.add_argument("--shrink", action="store_true", help="lower the baseline of the budgets")


def run(args) -> int:
    from tools import build, clang, paths, rules
    from tools import format as formatter
    from tools.rules import budgets

    files = rules.files_of_project()
    if args.shrink:
        over = budgets.measure(paths.ROOT, files)
        budgets.write_baseline(budgets.shrink(over, budgets.read_baseline()))
    formatted = formatter.check([])
    if not formatted:
        print("lint: the format differs; ./dev fmt writes it")
    findings = rules.check_all() + clang.check()
    for finding in findings:
        print(finding)
    if paths.plugin().exists():
        build.check_symbols(paths.plugin())
    print(f"lint: {budgets.overview(paths.ROOT, files)}")
    print(f"lint: {len(findings)} findings in {len(files)} files")
    return 0 if formatted and not findings else 1
