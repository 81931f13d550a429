"""Ctrl-C at a chosen line of the library."""

import copy
import sys
from collections import Counter
from contextlib import contextmanager, suppress


class Press:
    """Raise a KeyboardInterrupt at a visit of a line of some modules, once it is armed.

    Parameters
    ----------
    parts : tuple of str
        Parts of the paths of the modules whose lines count.
    place : tuple of str and int, optional
        File and line; None only counts the visits of all lines.
    visit : int
        The number of the visit, from 1.
    """

    def __init__(self, parts, place=None, visit=1):
        self.parts, self.place, self.visit = parts, place, visit
        self.visits, self.armed, self.pressed = Counter(), False, False

    @contextmanager
    def watching(self):
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)

    def _called(self, frame, event, argument):
        file = frame.f_code.co_filename
        return self._at if any(part in file for part in self.parts) else None

    def _at(self, frame, event, argument):
        if event == "line" and self.armed and not self.pressed:
            here = frame.f_code.co_filename, frame.f_lineno
            self.visits[here] += 1
            if here == self.place and self.visits[here] == self.visit:
                self.pressed = True
                raise KeyboardInterrupt
        return self._at


def broken_off(change, before, parts):
    """Each line at which Ctrl-C ends a change of an object, and a copy in which it has."""
    count, interrupted = Press(parts), copy.deepcopy(before)
    count.armed = True
    with count.watching():
        change(interrupted)
    assert count.visits
    for place in count.visits:
        press, interrupted = Press(parts, place), copy.deepcopy(before)
        press.armed = True
        with press.watching(), suppress(KeyboardInterrupt):
            change(interrupted)
        assert press.pressed
        yield place, interrupted
