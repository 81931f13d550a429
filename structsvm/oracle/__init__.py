"""The only way from a solver to a user's method, strictly downwards.

In the process that trains: ``cuts`` (planes from all examples) calls ``examples`` (a problem and
its data, in blocks), which, with several jobs, calls ``workers`` (in threads or other processes).
Where a block is: ``remote`` (only with several jobs) calls ``violated`` (outputs to losses and
rows), which calls the block's :class:`structsvm.Task`, watched: what it raises and returns is
checked. ``setup`` copies and initializes a problem before all that.
"""
