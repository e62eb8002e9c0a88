# SPDX-License-Identifier: Apache-2.0
# usage: schema_check.py SCHEMA FILE...: one line a file, "valid" or "invalid REASON". Exit code 9: no jsonschema here.
import json
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(9)

with open(sys.argv[1], encoding="utf-8") as f:
    schema = json.load(f)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as f:
        error = next(validator.iter_errors(json.load(f)), None)
    print("valid" if error is None else f"invalid {error.json_path}: {error.message[:100]!r}")
