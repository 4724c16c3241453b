/** All clones on the machine share these ports. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devnetPorts, LEAST_PORT_OFFSET, namedPorts } from '../../packages/devnet/src/ports/ports.ts'
import { portState } from '../../packages/runtime/src/process/port-state.ts'
import { eventually } from './eventually.ts'

export interface E2ePorts {
  readonly offset: number
  readonly spare: number
}

export const SPARE_PORTS = 22
/** No network uses these ports, at any offset. */
const FIRST_SPARE_PORT = 8_100
const FIRST_OFFSET = 3_000
const FIRST_EPHEMERAL_PORT = 32_768
const HOST = '127.0.0.1'
const CLAIMS = join(tmpdir(), 'keelson-test-ports')

export function portsOf(offset: number): readonly number[] {
  const spare = Array.from({ length: SPARE_PORTS }, (_, index) => FIRST_SPARE_PORT + offset + index)
  return [...namedPorts(devnetPorts(offset, 2)).map(([, port]) => port), ...spare]
}

export async function claimE2ePorts(folder = CLAIMS): Promise<E2ePorts> {
  mkdirSync(folder, { recursive: true })
  const unlock = await lock(join(folder, 'lock'))
  try {
    const claimed = new Set([0, ...liveClaims(folder)].flatMap(portsOf))
    for (let offset = FIRST_OFFSET; ; offset += LEAST_PORT_OFFSET) {
      const ports = portsOf(offset)
      if (Math.max(...ports) >= FIRST_EPHEMERAL_PORT) throw new Error(`no port offset is free; see the claims in ${folder}`)
      if (ports.some((port) => claimed.has(port)) || !(await allFree(ports))) continue
      const file = join(folder, String(offset))
      writeFileSync(file, String(process.pid))
      process.once('exit', () => rmSync(file, { force: true }))
      return { offset, spare: FIRST_SPARE_PORT + offset }
    }
  } finally {
    unlock()
  }
}

function liveClaims(folder: string): readonly number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const file = join(folder, name)
      const pid = readClaim(file)
      const alive = pid !== null && isRunning(pid)
      if (!alive) rmSync(file, { force: true })
      return alive
    })
    .map(Number)
}

/** Null if its process has removed it, which it does at its exit and without the lock. */
function readClaim(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

async function lock(folder: string): Promise<() => void> {
  const owner = join(folder, 'pid')
  await eventually(`taking the lock ${folder}`, async () => {
    try {
      mkdirSync(folder)
    } catch {
      if (!isRunning(Number(readFileSync(owner, 'utf8')))) rmSync(folder, { recursive: true, force: true })
      return false
    }
    writeFileSync(owner, String(process.pid))
    return true
  })
  return () => {
    rmSync(owner)
    rmdirSync(folder)
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function allFree(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) if ((await portState(HOST, port)).kind !== 'free') return false
  return true
}
