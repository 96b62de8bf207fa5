# SPDX-License-Identifier: BSD-2-Clause
"""binding.py HEADERS OUT.c: the C source of the extension module heddle._heddle.

The public headers are the only description of the library: their declarations are what cffi gets, so a function that is
added there is callable from Python without a second list. Comments, macros and attributes are removed; functions that
are inline in the headers become declarations, which the compiler of the extension resolves.
"""
import contextlib
import io
import re
import sys
from pathlib import Path

import cffi

# Functions Python calls back into; cffi makes a C function for each.
CALLBACKS = """
extern "Python" void heddle_note(void *, const char *);
extern "Python" void heddle_progress(void *, const char *, uint64_t, uint64_t);
extern "Python" bool heddle_stop(void *);
extern "Python" void heddle_sample(void *, uint64_t, double);
extern "Python" void heddle_sim_sample(void *, uint64_t, const struct hd_sim_sample *);
extern "Python" void heddle_advise_progress(void *, const char *, uint32_t, uint32_t);
extern "Python" hd_status heddle_route(struct hd_ctx *, const void *, struct hd_arena *, struct hd_routes *);
extern "Python" hd_status heddle_pattern_init(struct hd_ctx *, struct hd_arena *, const struct hd_pattern_in *, void **);
extern "Python" uint64_t heddle_pattern_stages(const void *);
extern "Python" uint32_t heddle_pattern_flows(const void *);
extern "Python" void heddle_pattern_draw(const void *, struct hd_rng *, uint64_t, struct hd_flows *);
extern "Python" uint64_t heddle_metric_value(const struct hd_loads *, const struct hd_metric_in *);
"""


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def without_macros(text):
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n", "", text, flags=re.M)


def inline_as_declarations(text):
    """static inline T f(...) { body } becomes T f(...);"""
    out, at = [], 0
    for match in re.finditer(r"^static inline\s+([^{;]*?)\s*\{", text, flags=re.M):
        depth, end = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        out += [text[at : match.start()], match.group(1), ";"]
        at = end
    return "".join(out) + text[at:]


def declarations(folder):
    """All declarations of the public headers, each header after those it includes."""
    done, parts = set(), []

    def take(path):
        if path in done:
            return
        done.add(path)
        text = path.read_text()
        for name in re.findall(r'^#include "(heddle/[a-z_]+\.h)"', text, flags=re.M):
            take(folder / name)
        parts.append(text)

    take(folder / "heddle.h")
    text = without_comments("\n".join(parts))
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = inline_as_declarations(without_macros(text))
    text = re.sub(r"HD_PRINTF\([^)]*\)", "", text).replace("HD_API ", "")
    # What a plug-in defines is not in the library.
    return re.sub(r"^.*heddle_plugin.*\n", "", text, flags=re.M)


def main():
    folder, out = Path(sys.argv[1]), sys.argv[2]
    ffi = cffi.FFI()
    ffi.cdef(declarations(folder) + CALLBACKS)
    ffi.set_source("heddle._heddle", '#include "heddle.h"', py_limited_api=True)
    with contextlib.redirect_stdout(io.StringIO()):
        ffi.emit_c_code(out)


if __name__ == "__main__":
    main()
