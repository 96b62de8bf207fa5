# SPDX-License-Identifier: BSD-2-Clause
"""Places of a C source that can be changed: operators, constants and branches, and what each becomes."""
import re

CHANGES = [
    (r"(?<![<>=!+\-*/%&|^])==(?!=)", ["!="]),
    (r"!=(?!=)", ["=="]),
    (r"(?<=\w) < (?=\w)", [" <= ", " >= "]),
    (r"(?<=\w) > (?=\w)", [" >= ", " <= "]),
    (r" <= ", [" < "]),
    (r" >= ", [" > "]),
    (r" && ", [" || "]),
    (r" \|\| ", [" && "]),
    (r"(?<=[\w)\]]) \+ (?=[\w(])", [" - "]),
    (r"(?<=[\w)\]]) - (?=[\w(])", [" + "]),
    (r"(?<=[\w)\]]) \* (?=[\w(])", [" + "]),
    (r"(?<=[\w)\]]) / (?=[\w(])", [" * "]),
    (r"(?<=[\w)\]]) % (?=[\w(])", [" / "]),
    (r"\+\+", ["--"]),
    (r" \+= ", [" -= "]),
    (r" \|= ", [" &= "]),
    (r"(?<![\w.\"'x])0(?![\w.xX\"'])", ["1"]),
    (r"(?<![\w.\"'])1(?![\w.\"'])", ["0", "2"]),
    (r"\bif \(", ["if (!("]),
    (r"\btrue\b", ["false"]),
    (r"\bfalse\b", ["true"]),
    (r"\bcontinue;", ["break;"]),
    (r"\breturn HD_OK;", ["return HD_LIMIT;"]),
]


def code_lines(text):
    """The lines without comments, strings and preprocessor lines, which become ~ of the same length."""
    comment, lines = False, []
    for line in text.split("\n"):
        if comment or line.lstrip().startswith("/*") or line.startswith("#"):
            comment = (comment or "/*" in line) and "*/" not in line
            lines.append("~" * len(line))
            continue
        code = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', lambda m: "~" * len(m.group()), line)
        code = re.sub(r"/\*.*?\*/", lambda m: "~" * len(m.group()), code)
        if "/*" in code:
            comment = True
            code = code[: code.index("/*")]
        lines.append(code)
    return lines


def places(text):
    """Every (line number from 0, column, old, new); declarations without a value have none."""
    found = []
    for number, code in enumerate(code_lines(text)):
        if re.match(r"\s*(static )?(const|enum|struct|typedef|inline)\b", code) and "=" not in code:
            continue
        for pattern, values in CHANGES:
            for m in re.finditer(pattern, code):
                found += [(number, m.start(), m.group(), new) for new in values]
    return found


def closing(line, at):
    """Column of the bracket that closes the one at column at, or None if it is in another line."""
    depth = 0
    for end in range(at, len(line)):
        depth += (line[end] == "(") - (line[end] == ")")
        if depth == 0:
            return end
    return None


def changed_line(line, place):
    """The line after the change; None if it cannot be made."""
    _, column, old, new = place
    after = column + len(old)
    if not new.startswith("if (!("):
        return line[:column] + new + line[after:]
    end = closing(line, after - 1)  # the whole condition is negated
    return None if end is None else line[:column] + new + line[after:end] + ")" + line[end:]


def with_line(text, number, line):
    lines = text.split("\n")
    lines[number] = line
    return "\n".join(lines)
