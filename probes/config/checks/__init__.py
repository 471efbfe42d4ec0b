"""One lint check a file: NAME of its cause, the fields it NEEDS, and ``check``.

``check`` gets a RunConfig in which every field of NEEDS is known, and returns one result, or
several ``Fires``. Words live in the cause's ``lint`` block; ``values`` fill its placeholders.
"""
