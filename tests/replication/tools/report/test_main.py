"""The command that writes the report: where it stands, and what it says where there are no verdicts."""

from pathlib import Path

from replication.tools.report import page
from replication.tools.report.__main__ import main


def test_the_report_stands_beside_the_verdicts(gathered, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(page.vl_convert, "javascript_bundle", lambda code: f"{code}</script>")  # takes a second
    monkeypatch.chdir(tmp_path)
    quick, _ = gathered
    report = tmp_path / ("results/quick" if quick else "results") / "report.html"
    assert main([]) == 0
    assert "All owls sleep." in report.read_text()
    assert str(report.relative_to(tmp_path)) in capsys.readouterr().out


def test_without_verdicts_the_folder_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([]) == 1
    assert "no verdicts.csv in results or results/quick" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_table_of_another_form_is_told_in_a_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results/verdicts.csv").write_text("claim_id,verdict\n")
    assert main([]) == 1
    assert "verdicts.csv:1: columns claim_id,verdict; expected claim_id,paper" in capsys.readouterr().err
