import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const BINARY = join(import.meta.dirname, '..', '..', 'dist', 'keelson.js')
/** The network gives up on a stage of its start after 3 minutes and names it; this ends one that hangs, before mocha's limit. */
const READY_TIMEOUT_MS = 570_000

export interface DevnetFacts {
  readonly l1: { readonly rpcUrl: string; readonly beaconUrl: string; readonly chainId: number }
  readonly l2: {
    readonly rpcUrl: string
    readonly wsUrl: string
    readonly engineUrl: string
    readonly rollupRpcUrl: string
    readonly chainId: number
    readonly dataDir: string
  }
  readonly networkDir: string
  readonly validator: { readonly rpcUrl: string; readonly wsUrl: string; readonly rollupRpcUrl: string; readonly dataDir: string }
  readonly conductor: { readonly operatorUrl: string; readonly secrets: string } | null
  readonly metrics: { readonly execution: string; readonly consensus: string }
  readonly services: {
    readonly web: string
    readonly faucet: string
    readonly bridge: string
    readonly platform: string
    readonly index: string
  }
  readonly accounts: readonly { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }[]
  readonly contracts: Readonly<Record<string, `0x${string}`>>
}

export interface DevnetProcess {
  readonly facts: DevnetFacts
  readonly folder: string
  readonly output: readonly string[]
  rolePids(): Readonly<Record<string, number>>
  interrupt(): Promise<{ readonly code: number | null; readonly elapsedMs: number }>
  remove(): Promise<void>
}

export function newDevnetFolder(): string {
  return mkdtempSync(join(tmpdir(), 'keelson-devnet-'))
}

/** The option for a network with these services only; without any it is the chain alone, which starts in half of the time. */
export function withServices(...names: readonly (keyof DevnetFacts['services'])[]): readonly string[] {
  return ['--services', names.length === 0 ? 'none' : names.join(',')]
}

export async function startDevnet(folder: string, portOffset: number, options: readonly string[] = []): Promise<DevnetProcess> {
  const child = spawn(
    process.execPath,
    [BINARY, 'devnet', '--data-dir', folder, '--port-offset', String(portOffset), '--json', ...options],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const output: string[] = []
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const facts = await ready(child, output, exited)
  let alive = true
  exited.then(() => {
    alive = false
  })

  async function interrupt() {
    const started = performance.now()
    if (alive) child.kill('SIGINT')
    const code = await exited
    return { code, elapsedMs: performance.now() - started }
  }

  return {
    facts,
    folder,
    output,
    rolePids: () => (JSON.parse(readFileSync(join(folder, 'supervisor.json'), 'utf8')) as { roles: Record<string, number> }).roles,
    interrupt,
    async remove() {
      await interrupt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function ready(child: ChildProcess, output: string[], exited: Promise<number | null>): Promise<DevnetFacts> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the development network ${why}:\n${output.slice(-40).join('\n')}`))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail(`was not ready within ${READY_TIMEOUT_MS / 1000} s`)
    }, READY_TIMEOUT_MS)
    exited.then((code) => fail(`ended with code ${code}`)).finally(() => clearTimeout(timer))
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line)
        if (output.length > 2000) output.shift()
        if (!line.startsWith('{"event":"ready"')) return
        clearTimeout(timer)
        resolve(JSON.parse(line) as DevnetFacts)
      })
    }
  })
}
