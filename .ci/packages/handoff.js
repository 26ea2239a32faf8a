#!/usr/bin/env node
// Runs the handoff of this system, which npm installed next to this package as an optional dependency.
'use strict';
const { spawn } = require('node:child_process');

const system = `${process.platform}-${process.arch}`;
const name = `@seed-78daf238/handoff-${system}`;
let program;
try {
  program = require.resolve(`${name}/bin/handoff${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  console.error(`handoff: the package ${name} is not installed\nhint: install it too, or install without --omit=optional`);
  process.exit(7);
}
const args = process.argv.slice(2);
if (process.execve && process.platform !== 'win32') {
  process.execve(program, [program, ...args], process.env); // from here on there is no Node
}

// A terminal sends its signals to both of us: forwarded, they would come twice, and the second one ends handoff at once.
const child = spawn(program, args, { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('error', (err) => {
  console.error(`handoff: ${err.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
