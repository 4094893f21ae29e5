"""The structures of ctypes are those of the headers: a C compiler says where their fields are."""
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import support

from linchpin import _library as lib

NAMES = {"Error": "lp_error", "Columns": "lp_columns", "ReadOptions": "lp_read_options",
         "Operation": "lp_operation", "SpecOptions": "lp_spec_options",
         "SpecCallbacks": "lp_spec_callbacks", "SpecEntry": "lp_spec_entry",
         "SpecOperationEntry": "lp_spec_operation_entry", "Binding": "lp_binding",
         "Progress": "lp_progress", "CheckOptions": "lp_check_options", "Partial": "lp_partial",
         "Violation": "lp_violation", "Warning": "lp_warning", "Result": "lp_result",
         "Part": "lp_part", "Assertion": "lp_assertion", "VerifyProgress": "lp_verify_progress",
         "VerifyOptions": "lp_verify_options", "Variable": "lp_variable", "Step": "lp_step",
         "Execution": "lp_execution", "Question": "lp_question",
         "Verification": "lp_verification", "ReportOptions": "lp_report_options",
         "MonitorOptions": "lp_monitor_options", "MonitorState": "lp_monitor_state"}
CONSTANTS = {"TIME_NONE": "LP_TIME_NONE", "NO_NAME": "LP_NO_NAME", "NEVER": "LP_NEVER",
             "NO_PART": "LP_NO_PART", "INPUT": "LP_INPUT", "USAGE": "LP_USAGE",
             "LIMIT": "LP_LIMIT", "REFUSED": "LP_VALUE_REFUSED", "RESULT_ANY": "LP_RESULT_ANY", "KIND_MAP": "LP_MAP", "KIND_KEYWORD": "LP_KEYWORD"}


class Layout(support.Case):
    def test_every_structure_is_compared(self):
        here = {name for name, kind in vars(lib).items()
                if isinstance(kind, type) and issubclass(kind, ctypes.Structure)
                and "_fields_" in vars(kind)}
        self.assertEqual(here, set(NAMES))

    def test_sizes_and_places(self):
        lines, expected = [], []
        for name, own in NAMES.items():
            kind = getattr(lib, name)
            lines.append('printf("%s %%zu\\n", sizeof(%s));' % (own, own))
            expected.append("%s %d" % (own, ctypes.sizeof(kind)))
            for field, *_ in kind._fields_:
                lines.append('printf("%s.%s %%zu %%zu\\n", offsetof(%s, %s), '
                             'sizeof(((%s *)0)->%s));' % (own, field, own, field, own, field))
                place = getattr(kind, field)
                expected.append("%s.%s %d %d" % (own, field, place.offset, place.size))
        for name, own in CONSTANTS.items():
            lines.append('printf("%s %%llu\\n", (unsigned long long)%s);' % (own, own))
            expected.append("%s %d" % (own, getattr(lib, name) % 2**64))
        text = ("#include <linchpin/linchpin.h>\n#include <stdio.h>\nint main(void) {\n%s\n"
                "return 0;\n}\n" % "\n".join(lines))
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "layout"
            subprocess.run(["cc", "-x", "c", "-I", support.SOURCE / "include", "-o", program, "-"],
                           input=text, text=True, check=True)
            found = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        self.assertEqual(found.splitlines(), expected)

    def test_functions_have_as_many_arguments_as_in_the_headers(self):
        headers = "".join(path.read_text()
                          for path in sorted((support.SOURCE / "include/linchpin").glob("*.h")))
        for name, function in vars(lib).items():
            if name.startswith("lp_"):
                declared = re.search(r"LP_API [^;]*?\b%s\(([^;]*)\);" % name, headers)
                self.assertIsNotNone(declared, name)
                inner = re.sub(r"\([^()]*\)", "", declared.group(1))
                count = 0 if inner.strip() == "void" else inner.count(",") + 1
                self.assertEqual(len(function.argtypes), count, name)


if __name__ == "__main__":
    if not shutil.which("cc"):
        print("skipped: there is no C compiler")
        sys.exit(77)
    support.main()
