"""The layers between a solver and a user's methods.

In the training process, the module ``cuts`` makes cutting planes from all examples. ``cuts`` calls
``examples``, which holds a problem and blocks of its data. With several jobs, ``examples`` calls
``workers``, which runs threads or processes. In the process that holds a block, ``violated``
computes losses and joint-feature differences of outputs. ``violated`` calls the block's Task
through a wrapper that checks return values and explains errors. With several jobs, the module
``remote`` calls the module ``violated``. ``setup`` copies and initializes a problem before the
first call.
"""
