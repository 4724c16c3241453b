import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const BINARY = join(import.meta.dirname, '..', '..', 'dist', 'keelson.js')

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly nodeArgs?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A command that runs the process, such as `ip netns exec NAME`. */
  readonly through?: readonly string[]
}

export interface KeelsonProcess {
  readonly pid: number
  output(): string
  readonly finished: Promise<Finished>
  stop(): Promise<Finished>
  kill(): Promise<Finished>
  /** Such as SIGSTOP, which pauses it, and SIGCONT. */
  signal(name: NodeJS.Signals): void
}

const running = new Set<ChildProcess>()

export function startKeelson(args: readonly string[], options: RunOptions = {}): KeelsonProcess {
  const command = [...(options.through ?? []), process.execPath, ...(options.nodeArgs ?? []), BINARY, ...args]
  const child = spawn(command[0] as string, command.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  running.add(child)
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code) => {
      running.delete(child)
      resolve({ code, ...texts })
    })
  })
  return {
    pid: child.pid as number,
    output: () => texts.stdout + texts.stderr,
    finished,
    async stop() {
      child.kill('SIGTERM')
      return finished
    },
    async kill() {
      child.kill('SIGKILL')
      return finished
    },
    signal: (name) => void child.kill(name),
  }
}

export function runKeelson(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return startKeelson(args, options).finished
}

export async function endAllKeelson(): Promise<void> {
  const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)))
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(ends)
}
