"""The commands on entries: what they print, and when they fail."""

from replication.tools.entry.__main__ import main


def test_the_command_says_what_it_found_and_fails_with_a_line_for_each_fault(frame, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "entry.parquet"
    frame.to_parquet(file, index=False)
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out.startswith(f"arena-check: {file}: 8 runs, no fault found\ndiagram {{")
    frame.assign(package="", kind="x").to_parquet(file, index=False)
    assert main(["check", str(file)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3  # the package, and a kind in both policies
    assert all(line.startswith(f"arena-check: {file}: ") for line in lines)
    file.write_bytes(b"no table")
    assert main(["check", str(file)]) == 1
    assert "damaged" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "absent")]) == 1
    assert main(["pack", "duel", str(file)]) == 1
