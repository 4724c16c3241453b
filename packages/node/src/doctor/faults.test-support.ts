/** Small healthy servers; a test breaks one of them. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RollupConfig } from '@keelson/chainspec'
import { prepareNetwork } from '@keelson/devnet'
import { readRollupConfig } from '@keelson/devnet/network-files'
import { createPureCrypto, NodeError } from '@keelson/primitives'
import {
  claimDataDirectory,
  createMetrics,
  createRpcServer,
  createSilentLogger,
  createSystemClock,
  loadJwtSecret,
  type RpcServer,
} from '@keelson/runtime'
import { openEngine } from '../evm/open-engine.ts'
import { DOCTOR_CHECKS } from './checks.ts'
import type { DoctorSettings, Machine } from './doctor-context.ts'
import type { Finding } from './finding.ts'
import { PUBLIC_MINIMUM } from './hardware-minimum.ts'
import { thisMachine } from './machine.ts'
import { createProbe } from './probe.ts'
import { runDoctor } from './run-doctor.ts'

const HEAD = 1000
const BLOBS = 2
const SLOT_SEC = 12
const hex = (value: number) => `0x${value.toString(16)}`

export interface Surroundings {
  readonly folder: string
  readonly rollup: RollupConfig
  settings: DoctorSettings
  machine: Machine
  /** Responses by method; functions get the params. */
  readonly l1: Record<string, unknown>
  readonly beacon: Record<string, unknown>
  readonly engine: { chainId: bigint; genesisHash: string }
  health: { status: number; body: unknown }
  l1Server: Server
  examine(): Promise<readonly Finding[]>
  close(): Promise<void>
}

export async function makeNetwork(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-doctor-network-'))
  const choice = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }
  await prepareNetwork(folder, choice, Date.now(), () => openEngine('wasm-interpreter', { crypto: createPureCrypto() }))
  return folder
}

export async function openServer(
  listener: RequestListener,
): Promise<{ readonly server: Server; readonly url: string; readonly port: number }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { server, port, url: `http://127.0.0.1:${port}` }
}

export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

export async function openSurroundings(network: string): Promise<Surroundings> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-doctor-'))
  const rollup = readRollupConfig(network)
  const { genesis } = rollup
  const nowSec = () => Math.floor(Date.now() / 1000)
  const blockAt = (number: number) => ({
    number: hex(number),
    hash: number === genesis.l1.number ? genesis.l1.hash : `0x${'ab'.repeat(32)}`,
    timestamp: hex(nowSec() - SLOT_SEC * (HEAD - number) - 4),
    blobGasUsed: number === HEAD - 3 ? hex(BLOBS * 131_072) : '0x0',
  })
  const l1: Record<string, unknown> = {
    eth_chainId: hex(Number(rollup.l1ChainId)),
    web3_clientVersion: 'Geth/v1.16.0',
    eth_syncing: false,
    eth_blockNumber: hex(HEAD),
    eth_getBlockByNumber: ([at]: [string]) => blockAt(at === 'latest' ? HEAD : at === 'finalized' ? HEAD - 64 : Number(at)),
    eth_getBlockReceipts: [],
    eth_getCode: '0x6000',
  }
  const beacon: Record<string, unknown> = {
    '/eth/v1/node/version': { version: 'Lighthouse/v8' },
    '/eth/v1/beacon/genesis': { genesis_time: String(nowSec() - 1_000_000 * SLOT_SEC) },
    '/eth/v1/config/spec': { SECONDS_PER_SLOT: String(SLOT_SEC), DEPOSIT_CHAIN_ID: String(rollup.l1ChainId) },
    '/eth/v1/node/syncing': { is_syncing: false },
    '/eth/v1/beacon/blob_sidecars': new Array(BLOBS).fill({}),
  }
  // Real time, because engine and health server report it too.
  const date = () => new Date().toUTCString()
  const l1Server = await openServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, params } = JSON.parse(Buffer.concat(chunks).toString()) as { method: string; params: unknown }
      const known = l1[method]
      const result: unknown = typeof known === 'function' ? known(params) : known
      const body = result === undefined ? { error: { code: -32601, message: 'method not found' } } : { result }
      response.writeHead(200, { date: date(), 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }))
    })
  })
  const beaconServer = await openServer((request, response) => {
    const path = (request.url ?? '').replace(/\/\d+$/, '')
    const data = beacon[path]
    response.writeHead(data === undefined ? 404 : 200, { date: date() }).end(JSON.stringify(data === undefined ? { code: 404 } : { data }))
  })
  const engine = { chainId: rollup.l2ChainId, genesisHash: genesis.l2.hash as string }
  const jwtSecret = join(folder, 'jwt.hex')
  const { secret } = await loadJwtSecret(jwtSecret, { create: true })
  const dataDir = join(folder, 'execution')
  await claimDataDirectory(dataDir, { version: 1, role: 'execution', chainId: rollup.l2ChainId, genesisHash: genesis.l2.hash })
  const surroundings = { health: { status: 200, body: { ready: true, checks: [{ name: 'disk', ok: true, text: 'ok' }] } } }
  const healthServer = await openServer((_request, response) => {
    response.writeHead(surroundings.health.status).end(JSON.stringify(surroundings.health.body))
  })
  const made = {
    folder,
    rollup,
    l1,
    beacon,
    engine,
    l1Server: l1Server.server,
    machine: {
      ...thisMachine(),
      nowMs: () => Date.now(),
      processors: 8,
      memoryBytes: 33_500_000_000,
      openFileLimit: async () => 1_048_576,
      disk: async () => ({ freeBytes: 500e9, totalBytes: 980e9 }),
      syncTimesMs: async () => [0.2, 0.3, 0.2, 0.4, 6],
      dialPeer: async () => null,
      loadNativeModules: async () => undefined,
    } as Machine,
  }
  const engineServer: RpcServer = createRpcServer(
    { name: 'engine', host: '127.0.0.1', port: 0, jwtSecret: secret, http: true, ws: false },
    {
      methods: {
        engine_exchangeCapabilities: () => ['engine_newPayloadV4'],
        web3_clientVersion: () => 'Keelson/v1',
        eth_chainId: () => `0x${engine.chainId.toString(16)}`,
        eth_getBlockByNumber: () => ({ hash: engine.genesisHash }),
      },
      log: createSilentLogger(),
      metrics: createMetrics('engine'),
      clock: { ...createSystemClock(), nowMs: () => world.machine.nowMs() },
    },
  )
  const stopping = new AbortController()
  await engineServer.start(stopping.signal)
  const world: Surroundings = Object.assign(surroundings, made, {
    settings: {
      network,
      isDevnet: false,
      allowSameChainId: false,
      dataDirs: [dataDir],
      l1Rpc: [l1Server.url],
      l1Beacon: [beaconServer.url],
      engineUrl: engineServer.httpUrl,
      engineGiven: true,
      jwtSecret,
      ports: [],
      httpRpc: 'http://127.0.0.1:1',
      rollupRpc: 'http://127.0.0.1:1',
      health: [healthServer.url],
      peers: ['/ip4/127.0.0.1/tcp/9/p2p/16Uiu2HAm1pfMfqwYfjVkPpn5wPHuP7YdW2ja8izSdgxw6bEX7HGg'],
      registry: null,
      etcd: null,
      clockOffsetMs: 0,
      minFreeBytes: 1024 ** 3,
      minimum: PUBLIC_MINIMUM,
    } as DoctorSettings,
    async examine(this: Surroundings) {
      const probe = createProbe({ timeoutMs: 2000, nowMs: this.machine.nowMs })
      try {
        const context = {
          settings: this.settings,
          machine: this.machine,
          probe,
          rollup: usable(this.settings.network),
          newer: null,
          l1: [],
          engineSilent: false,
          otherNetwork: false,
          secret: null,
        }
        return await runDoctor(DOCTOR_CHECKS, context, () => undefined)
      } finally {
        probe.close()
      }
    },
    async close() {
      stopping.abort()
      await Promise.all([engineServer.stop(), ...[l1Server, beaconServer, healthServer].map(({ server }) => closeServer(server))])
      rmSync(folder, { recursive: true })
    },
  })
  return world
}

function usable(network: string): RollupConfig | null {
  try {
    return readRollupConfig(network)
  } catch (error) {
    if (error instanceof NodeError) return null
    throw error
  }
}

export function writeFolder(parent: string, name: string, file: string, content: string): string {
  const folder = join(parent, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, file), content)
  return folder
}
