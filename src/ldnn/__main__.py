"""`python -m ldnn` is the command `ldnn`."""

from .cli import main

main()
