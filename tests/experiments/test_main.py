"""The command that checks the configuration, of the papers that it is given."""

from email_campaign import ROOT, email

from experiments.__main__ import main


def test_a_right_paper_has_no_fault(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert main(["lee2019"]) is None


def test_what_is_wrong_with_a_paper_is_one_line_and_concerns_no_other(root, study, monkeypatch):
    study(lambda settings: email(settings).update(problem="mail"))  # writes the paper's file
    monkeypatch.chdir(root)
    found = main(["huang2022"])
    assert "'mail'" in found
    assert "\n" not in found
    assert main(["lee2019"]) is None


def test_papers_and_files_that_are_not_there_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert "'lee2091'" in main(["lee2091"])
    monkeypatch.chdir(tmp_path)
    assert "config/config.yaml" in main([])
