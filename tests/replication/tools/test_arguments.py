"""Commands refuse arguments that they do not have, before they write anything."""

import pytest

from replication import __main__ as check
from replication.tools import ledger, pages, reference, verify
from replication.tools.report import __main__ as report

COMMANDS = [check, ledger, pages, reference, report, verify]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
@pytest.mark.parametrize(("argument", "status"), [("--help", 0), ("--unknown", 2)])
def test_an_argument_is_not_ignored(command, argument, status, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        command.main([argument])
    assert ended.value.code == status
    assert "usage: python -m replication" in "".join(capsys.readouterr())
    assert not list(tmp_path.iterdir())
