"""The part of JSON Schema that the record's schema uses: a value and a schema in, what is wrong with the value out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

SCHEMA: dict[str, Any] = json.loads(files("greppy.output").joinpath("record.schema.json").read_text(encoding="utf-8"))
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def faults(value: Any, schema: Any = SCHEMA, where: str = "record") -> Iterator[str]:
    """Every way in which `value` is not what the schema says."""
    if "$ref" in schema:
        yield from faults(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], where)
    if "anyOf" in schema:
        each = [list(faults(value, one, where)) for one in schema["anyOf"]]
        yield from () if [] in each else min(each, key=len)
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is {value!r}"
    yield from _faults_of_type(value, schema, where)


def _faults_of_type(value: Any, schema: Any, where: str) -> Iterator[str]:
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    fits = any(isinstance(value, _TYPES[name]) and (name == "boolean") == isinstance(value, bool) for name in names)
    if names and not fits:
        yield f"{where} is {value!r}, not {names}"
    elif not _within(value, schema):
        yield f"{where} is {value!r}"
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), f"{where}[{at}]")
    elif isinstance(value, dict):
        yield from _faults_of_object(value, schema, where)


def _within(value: Any, schema: Any) -> bool:
    if isinstance(value, str):
        return re.search(schema.get("pattern", ""), value) is not None
    if isinstance(value, int | float):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return True


def _faults_of_object(value: dict[str, Any], schema: Any, where: str) -> Iterator[str]:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    yield from (f"{where} lacks {name}" for name in schema.get("required", ()) if name not in value)
    for name, item in value.items():
        if name in properties:
            yield from faults(item, properties[name], f"{where}.{name}")
        elif others is False:
            yield f"{where} has {name}"
        else:
            yield from faults(item, others, f"{where}.{name}")
