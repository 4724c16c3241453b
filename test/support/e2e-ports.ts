/**
 * Ports for the networks of end-to-end tests. The rule: a test asks for ports when it starts and gets the first offset
 * whose ports are all free and belong to no other test that runs, in this process, another one or another clone. A claim
 * is a file named after the offset that holds the process id; it ends with that process.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devnetPorts, LEAST_PORT_OFFSET, namedPorts } from '../../packages/node/src/devnet/ports.ts'
import { portState } from '../../packages/node/src/port-state.ts'
import { eventually } from './eventually.ts'

export interface E2ePorts {
  /** The network's `--port-offset`. */
  readonly offset: number
  /** The first of SPARE_PORTS for nodes beside the network. */
  readonly spare: number
}

export const SPARE_PORTS = 20
/** No network has a port from here to the last spare one, whatever its offset. */
const FIRST_SPARE_PORT = 8_100
/** Below are the offsets that people choose by hand. */
const FIRST_OFFSET = 3_000
/** First ephemeral port, which systems assign to any program. */
const FIRST_EPHEMERAL_PORT = 32_768
const HOST = '127.0.0.1'
const CLAIMS = join(tmpdir(), 'keelson-test-ports')

/** Every port that a test may use with this offset: those of a network with two sequencers, and the spare ones. */
export function portsOf(offset: number): readonly number[] {
  const spare = Array.from({ length: SPARE_PORTS }, (_, index) => FIRST_SPARE_PORT + offset + index)
  return [...namedPorts(devnetPorts(offset, 2)).map(([, port]) => port), ...spare]
}

/** Claims ports until this process ends. Throws when no offset is free. */
export async function claimE2ePorts(folder = CLAIMS): Promise<E2ePorts> {
  mkdirSync(folder, { recursive: true })
  const unlock = await lock(join(folder, 'lock'))
  try {
    // Offset 0 belongs to the user, who may start a network while the tests run.
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

/** Offsets claimed by processes that run; removes the claims of those that do not. */
function liveClaims(folder: string): readonly number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const file = join(folder, name)
      const alive = isRunning(Number(readFileSync(file, 'utf8')))
      if (!alive) rmSync(file, { force: true })
      return alive
    })
    .map(Number)
}

/** Resolves with the function that unlocks. A process that dies with the lock leaves it to the next one. */
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
