import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { eventually } from './eventually.ts'

export interface RedisServer {
  /** Absolute path. */
  readonly command: string
  readonly version: string
}

export interface RedisProcess {
  /** URL of the port, or path of the Unix socket without one. */
  readonly url: string
  stop(): Promise<void>
  start(): Promise<void>
  /** Such as SIGSTOP, which pauses it, and SIGCONT. */
  signal(name: NodeJS.Signals): void
  remove(): Promise<void>
}

/** Null if none is installed. */
export function findRedis(): RedisServer | null {
  for (const command of (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'))) {
    if (!existsSync(command)) continue
    const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
    if (status === 0) return { command, version: `Redis ${/v=(\S+)/.exec(stdout)?.[1] ?? ''}` }
  }
  return null
}

export async function startRedis({ command }: RedisServer, port = 0): Promise<RedisProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-redis-'))
  const socket = join(folder, 'redis.sock')
  let stop: () => Promise<void> = async () => undefined
  let signal: (name: NodeJS.Signals) => void = () => undefined
  const start = async () => {
    const child = spawn(command, ['--port', String(port), '--bind', '127.0.0.1', '--unixsocket', socket, '--dir', folder, '--save', ''], {
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    signal = (name) => void child.kill(name)
    stop = async () => {
      child.kill('SIGKILL')
      await exited
      rmSync(socket, { force: true })
    }
    await eventually('the socket of Redis', async () => existsSync(socket))
  }
  await start()
  return {
    url: port === 0 ? socket : `redis://127.0.0.1:${port}`,
    start,
    stop: () => stop(),
    signal: (name) => signal(name),
    async remove() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
