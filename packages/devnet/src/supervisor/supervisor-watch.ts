/**
 * Ends anvil when the supervisor dies, because anvil does not watch its standard input and would mine alone. A shell process
 * watches instead.
 */
import { spawn } from 'node:child_process'

/** Sends `signal` to `pid` when this process has ended. Returns a function that cancels it. Does nothing on Windows. */
export function endWithSupervisor(pid: number, signal: NodeJS.Signals): () => void {
  if (process.platform === 'win32') return () => undefined
  const script = 'read -r _; kill -s "$1" "$2" 2>/dev/null'
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', signal.replace(/^SIG/, ''), String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a shell, the next start ends the program.
  watcher.on('error', () => undefined)
  watcher.stdin?.on('error', () => undefined)
  return () => void watcher.kill('SIGKILL')
}
