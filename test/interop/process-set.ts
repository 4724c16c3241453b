import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const KEPT_CHARACTERS = 4_000
const GRACE_MS = 15_000

export interface RunningProcess {
  readonly name: string
  readonly ended: Promise<string>
  tail(): string
  stop(): Promise<void>
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
}

export interface ProcessSet {
  readonly folder: string
  start(name: string, command: string, args: readonly string[], options?: StartOptions): RunningProcess
  run(name: string, command: string, args: readonly string[]): Promise<void>
  stopAll(): Promise<void>
}

export function createProcessSet(folder: string): ProcessSet {
  const logs = join(folder, 'logs')
  mkdirSync(logs, { recursive: true })
  const running = new Set<RunningProcess>()

  function launch(name: string, command: string, args: readonly string[], options: StartOptions = {}) {
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...options.env } })
    const file = createWriteStream(join(logs, `${name}.log`), { flags: 'a' })
    let kept = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        file.write(text)
        kept = (kept + text).slice(-KEPT_CHARACTERS)
      })
    }
    const ended = new Promise<number | null>((resolve) => {
      child.once('error', (error) => {
        kept += error.message
        resolve(null)
      })
      child.once('close', resolve)
    }).finally(() => file.end())
    return { child, ended, tail: () => kept }
  }

  return {
    folder,
    start(name, command, args, options) {
      const { child, ended, tail } = launch(name, command, args, options)
      const started: RunningProcess = {
        name,
        ended: ended.then(tail),
        tail,
        async stop() {
          if (isAlive(child)) child.kill('SIGTERM')
          const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
          await ended
          clearTimeout(timer)
          running.delete(started)
        },
      }
      running.add(started)
      return started
    },
    async run(name, command, args) {
      const { ended, tail } = launch(name, command, args)
      const code = await ended
      if (code !== 0) throw new Error(`${name} exited with code ${code}: ${tail()}`)
    },
    async stopAll() {
      await Promise.all([...running].map((started) => started.stop()))
    },
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}
