"""What a script of the gate leaves out is said in a line that .ci/run counts: SKIPPED, a word for it, and what was not done."""


def skipped(key, what):
    print(f"SKIPPED {key}: {what}", flush=True)
