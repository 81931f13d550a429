"""The calls from a solver to a user's methods, in one direction.

In the process that trains, ``cuts`` (planes from all examples) calls ``examples`` (a problem and
its data, in blocks). With several jobs, ``examples`` calls ``workers`` (threads or other
processes). In the process that holds a block, ``violated`` (from outputs to losses and rows) calls
the block's :class:`structsvm.Task`, which is watched: its errors and return values are checked.
With several jobs, ``remote`` calls ``violated``. ``setup`` copies and initializes a problem before
the first call.
"""
