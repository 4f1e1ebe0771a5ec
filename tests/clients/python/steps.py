"""What the scripts here share: the server they drive, named as their argument, and how they report what they tried."""

import logging
import sys

from astrapy import DataAPIClient, Database
from astrapy.constants import Environment


logging.getLogger("astrapy").setLevel(logging.ERROR)  # warnings are looked at where they are meant


def connect() -> Database:
    client = DataAPIClient(environment=Environment.OTHER)
    return client.get_database(sys.argv[1], keyspace="default_keyspace")


def step(name: str, outcome: object) -> None:
    """Prints the name, or ends the script with the outcome where that is anything but True."""
    if outcome is not True:
        sys.exit(f"{name}: {outcome}")
    print(name, flush=True)
