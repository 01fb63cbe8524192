"""What is looked for beside the words of a query, and with what weight."""

from __future__ import annotations

from greppy.query.plan import EXPANSION, MOST_TERMS, expanded, make_plan


def related(query: str, *lexicon: str, domain: str = "auto") -> dict[str, str]:
    """Each related term with where it comes from."""
    plan = expanded(make_plan(query, domain), lexicon)
    return {term.term.decode(): term.origin for term in plan.terms[plan.asked :]}


def test_a_subject_brings_what_it_is_made_of() -> None:
    found = related("auth")
    for word in ("authent", "author", "guard", "middlewar", "polici", "rbac", "acl", "jwt", "session", "permiss"):
        assert found[word] == "lexicon:auth"


def test_an_abbreviation_and_its_long_form_bring_each_other() -> None:
    assert related("cfg")["config"] == "lexicon:cfg"
    assert related("configuration")["cfg"] == "lexicon:configuration"


def test_a_legal_question_brings_the_words_of_contracts() -> None:
    found = related("termination", domain="legal")
    assert {"conveni", "materi", "breach", "notic"} <= set(found)
    assert "jwt" not in related("auth", domain="legal")


def test_words_that_code_writes_as_one_are_looked_for_together() -> None:
    assert related("user name")["usernam"] == "compound"


def test_lines_of_the_users_own_come_first() -> None:
    assert related("gizmo", "gizmo > sprocket big_wheel") == {
        "sprocket": "lexicon:gizmo",
        "big": "lexicon:gizmo",
        "wheel": "lexicon:gizmo",
    }


def test_an_expansion_stands_for_its_term_and_weighs_a_part_of_it() -> None:
    plan = expanded(make_plan("auth auth store"))
    weights = {term.term.decode(): term.weight for term in plan.terms}
    parents = {term.term.decode(): plan.terms[term.parent].term.decode() for term in plan.terms}
    assert (weights["auth"], weights["jwt"], parents["jwt"]) == (2.0, 2 * EXPANSION, "auth")
    assert parents["auth"] == "auth"


def test_a_name_in_code_is_asked_for_as_it_is_written() -> None:
    assert related("SessionStore") == related("Session::save()") == {}


def test_a_plan_never_has_more_terms_than_a_mask_has_bits() -> None:
    plan = expanded(
        make_plan(" ".join(["auth database config error user session token cache"] + [f"w{n}" for n in range(70)]))
    )
    assert len(plan.terms) <= MOST_TERMS
    assert len({term.term for term in plan.terms}) == len(plan.terms)
    assert [term.bit for term in plan.terms] == list(range(len(plan.terms)))
