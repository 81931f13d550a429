"""The only way from a solver to a user's method, strictly downwards.

In the process that trains: ``cuts`` (planes from all examples) calls ``examples`` (a problem and
its data, in blocks), which calls ``workers`` (here, in threads or in other processes; ``handles``
names the blocks there). Where a block is: ``remote`` (only in other processes) calls ``violated``
(outputs to losses and rows), which calls ``block`` (the problem's methods, single or batch form)
within a ``call`` (what they raise and return is checked). ``setup`` copies and initializes a
problem before all that.
"""
