/** `npm start [-- options]`, `npm run stop`, `npm run status`. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, ROOT } from './setup.mjs'

// Skips the installation, which would replace modules of the network that `status` or `stop` addresses.
const [command] = process.argv.slice(2)
const isOfRunning = (command === 'status' || command === 'stop') && existsSync(join(ROOT, 'dist', 'keelson.js'))
if (!isOfRunning) await prepare()
const node = spawn(process.execPath, ['--enable-source-maps', join(ROOT, 'dist', 'keelson.js'), 'devnet', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
// Ctrl-C reaches the whole process group; this parent only waits.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => node.kill(signal))
node.on('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1
})
