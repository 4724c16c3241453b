/**
 * Ends a program that is not ours when the supervisor vanishes. Our roles watch their standard input; anvil
 * does not, and would go on making blocks for nobody, ahead of the network's clock. So a shell watches for it.
 */
import { spawn } from 'node:child_process'

/** Sends `signal` to `pid` once this process is gone. Returns how to call it off; nothing is watched on Windows. */
export function endWithSupervisor(pid: number, signal: NodeJS.Signals): () => void {
  if (process.platform === 'win32') return () => undefined
  const script = 'read -r _; kill -s "$1" "$2" 2>/dev/null'
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', signal.replace(/^SIG/, ''), String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // without a shell the program is ended by the next start instead
  watcher.on('error', () => undefined)
  watcher.stdin?.on('error', () => undefined)
  return () => void watcher.kill('SIGKILL')
}
