"""Says whether every figure of every line that a night added to MEMORY.md stands in a journal.

    python check.py MEMORY_BEFORE WORKSPACE
"""

import re
import sys
from pathlib import Path

before, workspace = map(Path, sys.argv[1:])
old = before.read_text().splitlines()
added = [line for line in (workspace / "MEMORY.md").read_text().splitlines() if line not in old]
lines = [line for line in added if line.startswith("- ")]
# The day of a journal is in its name.
journals = sorted(workspace.glob("memory/*.md"))
said = "\n".join(journal.name + "\n" + journal.read_text() for journal in journals)
known = set(re.findall(r"\d+", said))
invented = []
for line in lines:
    claim = re.sub(r" \(memory/[^()]*\)", "", line)
    invented += [(figure, claim) for figure in re.findall(r"\d+", claim) if figure not in known]
for figure, claim in invented:
    print(f"no journal says {figure}: {claim}")
print(f"{len(lines)} lines promoted, {len(invented)} figures in them that no journal says")
sys.exit(1 if invented else 0)
