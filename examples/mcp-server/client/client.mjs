// A client as an editor has one: the official TypeScript SDK, over stdio.
//
//   node client.mjs PATH-OF-noctuary-mcp
//
// It makes a workspace, calls every tool once, and ends with an error where an answer is not as it should be.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const command = process.argv[2];
const folder = await mkdtemp(join(tmpdir(), "noctuary-mcp-"));
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
await mkdir(join(folder, "memory"));
await writeFile(join(folder, "MEMORY.md"), "# Memory\n\n- The boat is called Brisk.\n");
await writeFile(
  join(folder, "memory", `${yesterday}-repl.md`),
  "- [09:12:00] [user] Decision: Releases go out on Fridays at 16:00.\n",
);

async function session(kind, talk) {
  const client = new Client({ name: "noctuary-client", version: "1.0.0" });
  const args = ["--workspace", folder, "--session", kind];
  await client.connect(new StdioClientTransport({ command, args }));
  const call = async (name, given = {}) => {
    const answer = await client.callTool({ name, arguments: given });
    const [{ text }] = answer.content;
    return answer.isError ? { error: text } : JSON.parse(text);
  };
  try {
    await talk(client, call);
  } finally {
    await client.close();
  }
}

try {
  await session("main", async (client, call) => {
    assert.equal(client.getServerVersion().name, "noctuary-mcp");
    assert.match(client.getInstructions(), /MEMORY\.md/);
    const { tools } = await client.listTools();
    assert.ok(tools.length <= 10, "a listing is short");
    const readOnly = tools.filter((tool) => tool.annotations.readOnlyHint).map((tool) => tool.name);
    assert.deepEqual(readOnly.sort(), [
      "dream_preview",
      "dream_status",
      "memory_list",
      "memory_read",
      "memory_search",
    ]);

    const listed = await call("memory_list", { recursive: true });
    assert.ok(listed.entries.includes("MEMORY.md"));
    const read = await call("memory_read", { path: "MEMORY.md" });
    assert.match(read.content, /Brisk/);
    await call("memory_write", { path: "context/harbour.md", content: "Brisk lies in Lisbon." });
    const found = await call("memory_search", { query: "Where does the boat lie? Lisbon" });
    assert.equal(found.results[0].path, "context/harbour.md");
    const noted = await call("journal_note", { text: "The mast was painted.", kind: "happened" });
    assert.match(await readFile(join(folder, noted.path), "utf8"), /\[agent\] The mast was painted\./);
    const status = await call("dream_status");
    assert.equal(status.due, true);
    assert.equal(status.backlog.journals, 2);
    const preview = await call("dream_preview");
    assert.ok(preview.would_keep.some((line) => line.text.includes("Fridays")));

    const error = await call("memory_read", { path: "../secrets.md" });
    assert.match(error.error, /cannot be used as a name/);
  });
  await session("shared", async (client, call) => {
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    assert.deepEqual(names, ["memory_read", "memory_list", "memory_search", "journal_note"]);
    assert.ok((await call("memory_read", { path: "MEMORY.md" })).error);
    assert.deepEqual((await call("memory_search", { query: "boat" })).results, []);
  });
  console.log("client: every tool answers, in a main and in a shared session");
} finally {
  await rm(folder, { recursive: true, force: true });
}
