"""What a query's filters, phrases and exclusions are, and that whatever is odd is text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greppy.query.reading import Reading, read_query


def canonical(reading: Reading) -> str:
    """The reading on one line."""
    filters = [f"{key}={'|'.join(values)}" for key, values in reading.filters.values.items()]
    filters += [f"-{key}={'|'.join(values)}" for key, values in reading.filters.not_.items()]
    return " / ".join((reading.text, ";".join(reading.phrases), ";".join(reading.excluded), ";".join(filters)))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("where are sessions", "where are sessions /  /  / "),
        ("session lang:py path:src ext:.PY", "session /  /  / lang=python;path=src;ext=py"),
        ("x path:a path:b -path:tests", "x /  /  / path=a|b;-path=tests"),
        ('x path:"my docs"', "x /  /  / path=my docs"),
        ("x path:./src path:././a//b/ -path:./c", "x /  /  / path=src|a/b/;-path=c"),
        ("x sym:Session::save() kind:Class domain:LEGAL", "x /  /  / sym=Session.save;kind=class;domain=legal"),
        ("x rev:v1.2 file:*.py", "x /  /  / rev=v1.2;file=*.py"),
        ('"must stand there" word', "must stand there word / must stand there /  / "),
        ('word -draft -"old text"', "word /  / draft;old text / "),
        # what names something is looked for where nothing else is
        ("sym:Session.save", "Session.save /  /  / sym=Session.save"),
        ("file:auth.py lang:py", "auth.py /  /  / file=auth.py;lang=python"),
        # what is odd is text
        ("lang:klingon x", "lang:klingon x /  /  / "),
        ("title:zebra x", "title:zebra x /  /  / "),
        ("std::vector path::join x", "std::vector path::join x /  /  / "),
        ("domain:cooking x", "domain:cooking x /  /  / "),
        ("lang: x", "lang: x /  /  / "),
        ("kind:a-b x", "kind:a-b x /  /  / "),
        ('"open x', '"open x /  /  / '),
        ('say"hello" x', 'say"hello" x /  /  / '),
        ('"a"b x', '"a"b x /  /  / '),
        ('"" x "->"', '"" x "->" /  /  / '),
        ("what does --no-refresh do", "what does --no-refresh do /  /  / "),
        ("ls -l - -1 x", "ls -l - -1 x /  /  / "),
        ("a-b x-y", "a-b x-y /  /  / "),
        ("-sym:x y", "-sym:x y /  /  / "),
        # nothing to look for is left: all of it is text
        ("-zebra", "-zebra /  /  / "),
        ("lang:python", "lang:python /  /  / "),
        ("kind:class -x:y", "kind:class -x:y /  /  / "),
        ("-draft -old", "-draft -old /  /  / "),
        ("", " /  /  / "),
    ],
)
def test_a_query_is_taken_apart(query: str, expected: str) -> None:
    assert canonical(read_query(query)) == expected


@given(st.text(alphabet=st.sampled_from('ab1:"- \t*./pathlngsymkiedc☃')))
def test_any_text_can_be_read_and_leaves_something_to_look_for(query: str) -> None:
    reading = read_query(query)
    assert any(map(str.isalnum, reading.text)) == any(map(str.isalnum, query))
    assert all(any(map(str.isalnum, text)) for text in (*reading.phrases, *reading.excluded))
