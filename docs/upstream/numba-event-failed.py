"""Numba says of an event that ended well that it failed, and the reverse. Prints that, or that it is mended."""

from numba.core import event


class Ends(event.Listener):
    """Keeps what the last end of an event says."""

    def on_start(self, event: event.Event) -> None:
        """Nothing: an event that begins cannot have failed."""

    def on_end(self, event: event.Event) -> None:
        """Note whether it says that it failed."""
        self.said = event.is_failed


def said(fails: bool) -> bool:
    """Whether an event says that it failed, where it fails and where it does not."""
    with event.install_listener("defect", listener := Ends()):
        try:
            with event.trigger_event("defect"):
                if fails:
                    raise ValueError
        except ValueError:
            pass
    return listener.said


def defect() -> str | None:
    """The documentation of `Event.is_failed`: "Is the event carrying an exception?"."""
    found = {fails: said(fails) for fails in (False, True)}
    wrong = [
        f"an event that {'fails' if fails else 'ends well'} says failed: {found[fails]}"
        for fails in found
        if found[fails] != fails
    ]
    return "; ".join(wrong) or None


if __name__ == "__main__":
    print(defect() or "mended")
