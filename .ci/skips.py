"""What a script of the gate leaves out, in a line that .ci/run counts: SKIPPED, a word for the part, and what was not done."""


def skipped(key, what):
    print(f"SKIPPED {key}: {what}", flush=True)
