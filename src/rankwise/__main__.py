"""`python -m rankwise` is the command `rankwise`."""

from rankwise.cli.main import run

if __name__ == "__main__":
    run()
