// A peer that knows only the seed's protocol, as tests/torture/peers.rs has it in Rust:
// node peer.mjs <folder> watch <ttl> <ms> | steal <ttl> | take <ttl> | dream <ttl> | loop <ttl>
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import crypto from 'node:crypto';
import readline from 'node:readline';

const [folder, mode, ttl, millis] = process.argv.slice(2);
const lock = path.join(folder, '.dreaming.lock');
const stateFile = path.join(folder, '.dreamed-state.json');
let token = '';

const read = (file) => { try { return fs.readFileSync(file, 'utf8'); } catch { return ''; } };
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const tell = (line) => fs.writeSync(1, `\nchild: ${line}\n`);
const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const listen = () => lines.next();

function isAlive(pid) {
  try { process.kill(pid, 0); return true; } catch (error) { return error.code === 'EPERM'; }
}

function isStale(text) {
  let held;
  try { held = JSON.parse(text); } catch { return false; }
  if (Date.now() - Date.parse(held.started_at) > Number(ttl)) return true;
  return held.hostname === os.hostname() && !isAlive(held.pid);
}

function create() {
  token = `seed-${crypto.randomUUID()}`;
  const text = JSON.stringify({
    pid: process.pid, hostname: os.hostname(), started_at: new Date().toISOString(), token,
  });
  try { fs.writeFileSync(lock, text, { flag: 'wx' }); return true; } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

function acquire() {
  if (create()) return true;
  const standing = read(lock);
  if (!isStale(standing) || read(lock) !== standing) return false;
  try { fs.unlinkSync(lock); } catch { /* another was faster */ }
  return create();
}

const isMine = () => read(lock).includes(token);
const release = () => { if (isMine()) { try { fs.unlinkSync(lock); } catch { /* gone */ } } };

function dream() {
  let state = {};
  try { state = JSON.parse(read(stateFile)); } catch { /* none yet */ }
  const mark = state.last_processed_mtime ?? 0;
  let newest = mark;
  let section = '';
  let count = 0;
  for (const file of fs.readdirSync(path.join(folder, 'memory'))) {
    const journal = path.join(folder, 'memory', file);
    const changed = fs.statSync(journal).mtimeMs;
    if (changed <= mark) continue;
    newest = Math.max(newest, changed);
    for (const [, number] of read(journal).matchAll(/note n(\d+) /g)) {
      section += `- Peer told n${number}.\n`;
      count += 1;
    }
  }
  if (newest > mark && isMine()) {
    fs.appendFileSync(path.join(folder, 'MEMORY.md'), `\n## Dreamed by a peer\n\n${section}`);
    state.last_processed_mtime = newest;
    state.last_run_at = new Date().toISOString();
    const aside = path.join(folder, `.state-${token}`);
    fs.writeFileSync(aside, JSON.stringify(state));
    fs.renameSync(aside, stateFile);
  }
  return count;
}

if (mode === 'watch') {
  const until = Date.now() + Number(millis);
  let looks = 0;
  let stale = 0;
  while (Date.now() < until) {
    const text = read(lock);
    if (text) { looks += 1; if (isStale(text)) stale += 1; }
    await sleep(1);
  }
  tell(`${looks} ${stale}`);
} else if (mode === 'steal') {
  tell('ready');
  await listen();
  try { fs.unlinkSync(lock); } catch { /* gone */ }
  tell(create() ? 'stolen' : 'not stolen');
  await listen();
  release();
} else if (mode === 'take') {
  while (!acquire()) await sleep(1);
  tell('held');
  await listen();
  release();
} else if (mode === 'dream') {
  if (!acquire()) throw new Error('somebody holds it');
  tell('held');
  await listen();
  tell(String(dream()));
  await listen();
  release();
} else if (mode === 'loop') {
  for (;;) {
    if (acquire()) {
      await sleep(Math.random() * 2);
      dream();
      await sleep(Math.random());
      release();
      fs.appendFileSync(path.join(folder, '..', 'peer-ticks'), 'P');
    }
    await sleep(Math.random() * 4);
  }
} else {
  throw new Error(`no mode ${mode}`);
}
process.exit(0);
