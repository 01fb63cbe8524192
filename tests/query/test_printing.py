"""How a plan is printed: the canonical form, word by word."""

from __future__ import annotations

from greppy.output.json_text import to_json
from greppy.output.plan import plan_lines, plan_values
from greppy.query.plan import expanded, make_plan

PLAIN = """\
query      where is user_name checked in lang:python -path:tests "at login" -legacy
intent     locate
domain     code (by its words)
terms      usernam^1 (identifier user_name) user^1 (part user_name) name^1 (part user_name) check^1 login^1
related    checkedlogin^0.5 <- check (compound), gizmo^0.5 <- check (lexicon:check), signin^0.5 <- login (lexicon:login), sign^0.5 <- login (lexicon:login), logon^0.5 <- login (lexicon:login), authent^0.5 <- login (lexicon:login), session^0.5 <- login (lexicon:login), password^0.5 <- login (lexicon:login), credenti^0.5 <- login (lexicon:login)
phrases    "at login"
without    "legacy"
filters    lang:python -path:tests
"""  # noqa: E501
QUERY = 'where is user_name checked in lang:python -path:tests "at login" -legacy'


def test_a_plan_prints_canonically() -> None:
    assert plan_lines(expanded(make_plan(QUERY), ["check > gizmo"])) == PLAIN


def test_the_name_that_a_query_is_and_the_domain_asked_for_are_told() -> None:
    assert plan_lines(expanded(make_plan("Session::save()", "docs"))) == (
        "query      Session::save()\n"
        "intent     search\n"
        "domain     docs (asked for)\n"
        "terms      session^1 save^1\n"
        "name       Session.save\n"
    )


def test_nothing_in_a_query_reaches_the_terminal_as_a_command() -> None:
    assert "\x1b" not in plan_lines(make_plan("a\x1b[2J b"))


def test_a_plan_as_json() -> None:
    values = plan_values(expanded(make_plan("gizmo ext:py"), ["gizmo > big_wheel"]))
    assert to_json(values) == (
        '{"query":"gizmo ext:py","intent":"search","domain":"code","domain_given":false,"terms":['
        '{"term":"gizmo","word":"gizmo","weight":1,"from":"word"},'
        '{"term":"big","word":"big","weight":0.25,"from":"lexicon:gizmo","for":"gizmo"},'
        '{"term":"wheel","word":"wheel","weight":0.25,"from":"lexicon:gizmo","for":"gizmo"}],'
        '"name":"gizmo","phrases":[],"excluded":[],"filters":{"ext":["py"]},"excluding":{},"speaks_of":[]}'
    )
