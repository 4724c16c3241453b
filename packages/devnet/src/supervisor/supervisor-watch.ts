import { spawn } from 'node:child_process'

/** Ends `pid` with this process, because anvil would mine alone. Returns a function that cancels it. Does nothing on Windows. */
export function endWithSupervisor(pid: number, signal: NodeJS.Signals): () => void {
  if (process.platform === 'win32') return () => undefined
  const script = 'read -r _; kill -s "$1" "$2" 2>/dev/null'
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', signal.replace(/^SIG/, ''), String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watcher.on('error', () => undefined)
  watcher.stdin?.on('error', () => undefined)
  return () => void watcher.kill('SIGKILL')
}
