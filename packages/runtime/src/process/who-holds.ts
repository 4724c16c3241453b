/** Reads Linux's /proc; on other systems the process stays unknown. */
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { portState, socketsOn } from './port-state.ts'

export interface Listener {
  readonly use: 'listener' | 'connection' | 'closing'
  readonly pid: number | null
  readonly command: string | null
  readonly keelson: boolean
  readonly dataDir: string | null
}

const UNKNOWN: Listener = { use: 'listener', pid: null, command: null, keelson: false, dataDir: null }
const MAX_COMMAND = 60

export async function findListener(host: string, port: number): Promise<Listener | null> {
  const state = await portState(host, port).catch(() => ({ kind: 'listener', inode: null }) as const)
  if (state.kind === 'free') return null
  if (state.kind === 'closing') return { ...UNKNOWN, use: 'closing' }
  const pid = state.inode === null ? null : await processWithSocket(state.inode)
  return { ...(pid === null ? UNKNOWN : await describeProcess(pid)), use: state.kind }
}

/** The process with a UDP socket on `port`, or null when none has one. */
export async function findUdpHolder(port: number): Promise<Listener | null> {
  const tables = await Promise.all(['/proc/net/udp', '/proc/net/udp6'].map(readText))
  const inode = socketsOn(port, tables).find((socket) => socket.inode !== null)?.inode ?? null
  const pid = inode === null ? null : await processWithSocket(inode)
  return pid === null ? null : describeProcess(pid)
}

export async function findLockHolder(file: string): Promise<Listener | null> {
  const inode = await stat(file).then(
    ({ ino }) => ino,
    () => null,
  )
  if (inode === null) return null
  for (const line of (await readText('/proc/locks')).split('\n')) {
    const [, , , , pid, place] = line.trim().split(/\s+/)
    // The process id is 0 for a process of another container.
    if (place?.split(':')[2] === String(inode)) return Number(pid) > 0 ? describeProcess(Number(pid)) : UNKNOWN
  }
  return null
}

/** Null is a holder that the system does not tell. */
export function describeHolder(holder: Pick<Listener, 'pid' | 'command'> | null): string {
  if (holder === null || holder.pid === null) return 'another program'
  const { pid, command } = holder
  return command === null || command === '' ? `process ${pid}` : `process ${pid} (${command})`
}

async function processWithSocket(inode: string): Promise<number | null> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')
      if (target === `socket:[${inode}]`) return Number(pid)
    }
  }
  return null
}

async function describeProcess(pid: number): Promise<Listener> {
  const args = (await readText(`/proc/${pid}/cmdline`)).split('\0').filter((arg) => arg !== '')
  const program = args.findIndex((arg) => /(^|\/)keelson(\.js)?$/.test(arg) || arg.endsWith('node/src/main.ts'))
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '/')
  const given = flagValue(args, '--data-dir')
  return {
    use: 'listener',
    pid,
    command: program < 0 ? shortCommand(args) : `keelson ${args[program + 1] ?? ''}`.trim(),
    keelson: program >= 0,
    dataDir: given === null ? null : resolve(cwd, given),
  }
}

export function shortCommand(args: readonly string[]): string {
  return args
    .map((arg) => (arg.startsWith('/') ? basename(arg) : arg))
    .join(' ')
    .slice(0, MAX_COMMAND)
}

function flagValue(args: readonly string[], flag: string): string | null {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`))
  if (at < 0) return null
  const arg = args[at] as string
  return arg.includes('=') ? arg.slice(flag.length + 1) : (args[at + 1] ?? null)
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
