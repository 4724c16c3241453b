/** An execution client that syncs from a peer, Keelson or op-geth. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createEngineClient, type EngineClient } from '@keelson/client'
import { readRollupConfig } from '@keelson/devnet/network-files'
import { createSeededRandom, createSystemClock, loadJwtSecret } from '@keelson/runtime'
import { engineVersionsFor } from '../../../packages/node/src/commands/consensus/engine-versions.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { startExecution } from '../../../test/support/execution-process.ts'
import { SILENT_LOG } from '../../../test/support/execution-world.ts'
import { rpcCall } from '../../../test/support/json-rpc.ts'

export type SyncMode = 'snap' | 'full'

export interface ClientUnderTest {
  readonly pid: number
  readonly enode: string
  readonly engine: EngineClient
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  /** With SIGKILL. */
  kill(): Promise<unknown>
}

export interface ClientOptions {
  readonly network: string
  readonly dataDir: string
  readonly mode: SyncMode
  /** Uses six ports from here on. */
  readonly port: number
  /** Null for none. */
  readonly peer: string | null
}

export async function startKeelsonClient({ network, dataDir, mode, port, peer }: ClientOptions): Promise<ClientUnderTest> {
  const args = ['--syncmode', mode, ...(peer === null ? [] : ['--p2p.static', peer])]
  const { process, ...client } = await startExecution({ network, dataDir, port, args })
  return { ...client, pid: process.pid, kill: () => process.kill() }
}

/** Writes its output to `op-geth.log` in its data directory. */
export async function startOpGeth(binary: string, options: ClientOptions): Promise<ClientUnderTest> {
  const { network, dataDir, mode, port, peer } = options
  mkdirSync(dataDir, { recursive: true })
  const jwt = join(dataDir, 'jwt.hex')
  const { secret } = await loadJwtSecret(jwt, { create: true })
  const common = ['--datadir', dataDir, '--state.scheme', 'path']
  execFileSync(binary, ['init', ...common, join(network, 'genesis.json')], { stdio: 'ignore' })
  const log = openSync(join(dataDir, 'op-geth.log'), 'a')
  const child = spawn(
    binary,
    [
      ...common,
      ...['--syncmode', mode, '--nodiscover', '--nat', 'none', '--port', String(port + 4), '--ipcdisable'],
      ...['--http', '--http.addr', '127.0.0.1', '--http.port', String(port), '--http.api', 'eth,admin,net,debug'],
      ...['--authrpc.addr', '127.0.0.1', '--authrpc.port', String(port + 1), '--authrpc.jwtsecret', jwt],
      ...['--rollup.disabletxpoolgossip', '--rollup.superchain-upgrades=false'],
    ],
    { stdio: ['ignore', log, log] },
  )
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  const { enode } = await eventually('op-geth serving', () => rpcCall<{ readonly enode: string }>(url, 'admin_nodeInfo'))
  if (peer !== null) await rpcCall(url, 'admin_addPeer', [peer])
  return {
    pid: child.pid as number,
    enode: enode.replace(/@[^:]+:/, '@127.0.0.1:'),
    engine: createEngineClient(
      { url: `http://127.0.0.1:${port + 1}`, jwtSecret: secret, versionFor: engineVersionsFor(readRollupConfig(network)) },
      { clock: createSystemClock(), random: createSeededRandom(port), log: SILENT_LOG },
    ),
    call: (method, ...params) => rpcCall(url, method, params),
    kill: () => {
      child.kill('SIGKILL')
      return ended
    },
  }
}
