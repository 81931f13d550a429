"""Problems whose tasks answer otherwise than those of a class that is given."""


def with_task(kind, **methods):
    """A subclass of a problem whose tasks have these methods; None withdraws one."""

    def task(self, X, Y=None):
        task = kind.task(self, X, Y)
        task.__class__ = type("Changed" + type(task).__name__, (type(task),), methods)
        return task

    return type("Changed" + kind.__name__, (kind,), {"task": task})


def with_answer(kind, method, change):
    """A subclass of a problem of whose tasks a method returns ``change(right answer)``."""

    def task(self, X, Y=None):
        task = kind.task(self, X, Y)
        right = getattr(type(task), method)

        def changed(self, *arguments):
            return change(right(self, *arguments))

        task.__class__ = type("Wrong" + type(task).__name__, (type(task),), {method: changed})
        return task

    return type("Wrong" + kind.__name__, (kind,), {"task": task})
