import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const BINARY = join(import.meta.dirname, '..', '..', '..', 'dist', 'keelson.js')
const KEPT_LINES = 400

/** A process that a test kills, freezes and starts again. */
export interface Restartable {
  start(): void
  kill(): Promise<void>
  /** Lets it end what it started itself. */
  stop(): Promise<void>
  freeze(): void
  thaw(): void
  /** Newest lines of its output. */
  readonly output: readonly string[]
}

export function restartable(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Restartable {
  let child: ChildProcess | null = null
  const output: string[] = []
  const signal = (name: NodeJS.Signals) => void child?.kill(name)
  const end = async (name: NodeJS.Signals) => {
    const ended = child
    child = null
    if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return
    const exit = once(ended, 'exit')
    ended.kill(name)
    await exit
  }
  return {
    output,
    start() {
      child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          output.push(...text.trimEnd().split('\n'))
          output.splice(0, output.length - KEPT_LINES)
        })
      }
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  }
}

export function keelsonRole(args: readonly string[], env: Readonly<Record<string, string>> = {}): Restartable {
  return restartable(process.execPath, [BINARY, ...args], env)
}
