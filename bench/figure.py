"""What bench/report says of its measurements: a table as text, and Figure 8.1 as SVG. Needs nothing but Python.

A report is {"target": T, "machine": {"cpus": N, "load": L}, "roof": {"bytes": R, "flops": R}, "candidates": [{"program", "case",
"candidate", "milliseconds", "bytes", "flops"}, ...], "programs": [{"program", "spectrum", "plans", "plan"}, ...], "failures":
[TEXT, ...]}: rates of a second, None where unknown. A candidate "found", the fastest of other plans, has "plan", "tried" and
"slow". A program picked for one case has "case", and "expected" with the sizes that the heuristic was told of.
"""
from xml.sax.saxutils import escape


WITHIN = 2  # where the picked plan takes longer than this many times the best one found, the report says so


def is_ours(candidate):
    return candidate.startswith("tangram") or candidate == "found"


def bare(key):
    """A plan's key without the spectrum and the target."""
    return key.split(": ", 1)[-1]


def by_case(candidates):
    """Candidates of each case, in the order of the report."""
    cases = {}
    for c in candidates:
        cases.setdefault(c["case"], []).append(c)
    return cases


def ratio(part, whole):
    return part / whole if part is not None and whole else None


def compare(report):
    """Adds to each candidate: `speed` (1 is the fastest of its case), `share` of the fastest peer's speed (ours only), and
    `roof_share`, by floats where the program counts them, else by bytes."""
    for candidates in by_case(report["candidates"]).values():
        best = min(c["milliseconds"] for c in candidates)
        peer = min((c["milliseconds"] for c in candidates if not is_ours(c["candidate"])), default=None)
        for c in candidates:
            limit = "flops" if c["flops"] is not None else "bytes"
            c["speed"] = ratio(best, c["milliseconds"])
            c["share"] = ratio(peer, c["milliseconds"]) if is_ours(c["candidate"]) else None
            c["limit"], c["roof_share"] = limit, ratio(c[limit], report["roof"].get(limit))
    report["found"] = list(found(report))
    return report


def found(report):
    """Of each case for which plans were searched: the picked plan, the best one, and how much slower the picked one is. Where
    none of the others is faster, the picked one is the best."""
    programs = {p.get("case", p["spectrum"]): p for p in report["programs"]}
    for case, candidates in by_case(report["candidates"]).items():
        named = {c["candidate"]: c for c in candidates}
        if "found" not in named or "tangram" not in named:
            continue
        picked, other = named["tangram"], named["found"]
        program = programs.get(case) or programs[other["plan"].split(" on ")[0]]
        peer = min((c for c in candidates if not is_ours(c["candidate"])), key=lambda c: c["milliseconds"], default=None)

        def row(c, plan):
            return {"milliseconds": c["milliseconds"], "share": c["share"], "roof_share": c["roof_share"], "plan": plan}

        yield {"case": case, "program": program["program"], "spectrum": program["spectrum"], "plans": program["plans"],
               "target": report["target"], "expected": program.get("expected", []),
               "tried": other["tried"], "slow": other["slow"], "picked": row(picked, program["plan"]),
               "found": row(other, bare(other["plan"])), "peer": peer and peer["candidate"],
               "slower": picked["milliseconds"] / min(other["milliseconds"], picked["milliseconds"])}


def table(report):
    """The text of a compared report."""
    def number(value):
        return "" if value is None else f"{value:.2f}"

    def shorter(digits):
        return digits if len(digits) <= 15 else f"{digits[0]}.{digits[1:3]}e{len(digits) - 1}"

    wide = max([18, *(len(c["candidate"]) for c in report["candidates"])]) + 2
    lines = [f"{'case':<26}{'candidate':<{wide}}{'median ms':>11}{'of fastest':>12}{'of best peer':>14}{'of roof':>9}"]
    for c in (c for candidates in by_case(report["candidates"]).values() for c in candidates):
        roof = number(c["roof_share"]) + (" " + c["limit"][0] if c["roof_share"] is not None else "")
        lines.append(f"{c['case']:<26}{c['candidate']:<{wide}}{c['milliseconds']:>11.3f}{number(c['speed']):>12}"
                     f"{number(c['share']):>14}{roof:>9}")
    roofs = {"bytes": "b: {:.1f} GB/s, a copy", "flops": "f: {:.1f} GFLOP/s, the fastest peer's dgemm"}
    known = [text.format(report["roof"][k] / 1e9) for k, text in roofs.items() if report["roof"].get(k)]
    lines.append("roofs: " + "; ".join(known) if known else "roofs: none was measured")
    lines.append(f"machine: {report['machine']['cpus']} CPUs, load average {report['machine']['load']:.2f} at the start")
    if report["programs"]:
        lines += ["", f"{'':<9}{'spectrum':<22}{'plans':>16}  the plan that the heuristic picks for {report['target']}"]
        for p in report["programs"]:
            told = f" (told of {', '.join(p['expected'])})" if p.get("expected") else ""
            lines.append(f"{p['program']:<9}{p['spectrum']:<22}{shorter(p['plans']):>16}  {p['plan']}{told}")
    if report["found"]:
        lines += ["", f"{'':<26}{'':>10}{'milliseconds':>22}{'of best peer':>22}{'of roof':>22}",
                  f"{'case':<26}{'tried':>10}" + f"{'picked':>13}{'found':>9}" * 3 + "  best peer"]
        for f in report["found"]:
            picked, other = f["picked"], f["found"]
            lines.append(f"{f['case']:<26}{f['tried']:>10}{picked['milliseconds']:>13.3f}{other['milliseconds']:>9.3f}"
                         + "".join(f"{number(picked[k]):>13}{number(other[k]):>9}" for k in ["share", "roof_share"])
                         + f"  {f['peer'] or ''}")
        for f in report["found"]:
            lines += ["", f"{f['case']}: {verdict(f)}"]
    return "\n".join(lines)


def verdict(f):
    """How the picked plan compares with those that were tried, in words."""
    if f["slower"] <= 1:
        return f"none of {f['tried']} plans is faster than the picked one"
    slower, why = f"{f['slower']:.2f}", ""
    if f["slower"] > WITHIN:
        slower = f"{f['slower']:.1f}"
        told = "".join(f" --expect {size}" for size in f["expected"])
        why = (f"\n  `tangram explain apps/{f['program']}/{f['program']}.tg.cpp --target {f['target']} --spectrum "
               f"'{f['spectrum']}'{told}` says why the heuristic preferred its own")
    return f"picked is {slower}x slower than the best of {f['tried']} plans found:\n  {f['found']['plan']}{why}"


BAR, GAP, LEFT, TOP, HEIGHT, BELOW = 24, 34, 56, 40, 220, 170
OURS, THEIRS = "#c0392b", "#8395a7"


def svg(report):
    """Figure 8.1: a group of bars a case, each bar a candidate's speed over the fastest one's."""
    parts = []

    def text(x, y, words, **style):
        attributes = "".join(f' {k.replace("_", "-")}="{v}"' for k, v in style.items())
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{escape(words)}</text>')

    cases = by_case(report["candidates"])
    # As wide as its bars, or as its name below them.
    widths = {case: max(BAR * len(c), 6.2 * len(case)) for case, c in cases.items()}
    width = LEFT + sum(widths.values()) + GAP * (len(cases) + 1)
    floor = TOP + HEIGHT
    text(LEFT, 20, "Speed, normalised to the fastest of each case", font_size=14)
    for tenths in range(0, 11, 2):
        y = floor - HEIGHT * tenths / 10
        parts.append(f'<line x1="{LEFT}" x2="{width:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        text(LEFT - 6, y + 4, f"{tenths / 10:.1f}", text_anchor="end")
    left = LEFT + GAP
    for case, candidates in cases.items():
        x = left + (widths[case] - BAR * len(candidates)) / 2
        for c in candidates:
            tall = HEIGHT * c["speed"]
            fill = OURS if is_ours(c["candidate"]) else THEIRS
            parts.append(f'<rect class="bar" x="{x + 1:.1f}" y="{floor - tall:.1f}" width="{BAR - 2}" height="{tall:.1f}" '
                         f'fill="{fill}"><title>{escape(case)}, {escape(c["candidate"])}: {c["milliseconds"]:.3f} ms</title></rect>')
            middle = x + BAR / 2
            text(middle, floor - tall - 4, f"{c['speed']:.2f}", text_anchor="middle", font_size=9)
            text(middle + 4, floor + 8, c["candidate"], text_anchor="end", transform=f"rotate(-90 {middle + 4:.1f} {floor + 8})")
            x += BAR
        text(left + widths[case] / 2, floor + BELOW - 30, case, text_anchor="middle", font_weight="bold")
        left += widths[case] + GAP
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{floor + BELOW}" font-family="sans-serif" '
            f'font-size="11"><rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")
