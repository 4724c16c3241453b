/** A `keelson execution` process with peers, and its engine API. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createEngineClient, type EngineClient } from '@keelson/client'
import { readGenesisBlock, readRollupConfig } from '@keelson/devnet/network-files'
import {
  encodeDeposit,
  type Hash,
  hashHeader,
  hexToBytes,
  L1_BLOCK,
  L1_INFO_DEPOSITOR,
  l1InfoSourceHash,
  l2Time,
  type PayloadEnvelope,
  SEQUENCER_FEE_VAULT,
  TX_DEPOSIT,
  ZERO_HASH,
} from '@keelson/primitives'
import { createSeededRandom, createSystemClock, loadJwtSecret } from '@keelson/runtime'
import { engineVersionsFor } from '../../packages/node/src/commands/consensus/engine-versions.ts'
import { eventually } from './eventually.ts'
import { SILENT_LOG } from './execution-world.ts'
import { rpcCall } from './json-rpc.ts'
import { type KeelsonProcess, startKeelson } from './keelson-process.ts'

export interface ExecutionProcess {
  readonly rpcUrl: string
  readonly engine: EngineClient
  readonly process: KeelsonProcess
  readonly enode: string
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  metrics(): Promise<string>
}

export interface ExecutionProcessOptions {
  readonly network: string
  readonly dataDir: string
  readonly port: number
  readonly args?: readonly string[]
  /** Loopback by default. */
  readonly host?: string
  /** A command that runs the process. */
  readonly through?: readonly string[]
}

/** Uses six ports from `port` on. */
export async function startExecution(options: ExecutionProcessOptions): Promise<ExecutionProcess> {
  const { network, dataDir, port, args = [], host = '127.0.0.1', through = [] } = options
  mkdirSync(dataDir, { recursive: true })
  const jwt = join(dataDir, 'jwt.hex')
  const { secret } = await loadJwtSecret(jwt, { create: true })
  const hosts = ['--http.host', '--engine.host', '--metrics.host', '--p2p.host'].flatMap((name) => [name, host])
  const ports = ['--http.port', '--ws.port', '--engine.port', '--metrics.port', '--p2p.port'].flatMap((name, i) => [name, String(port + i)])
  const process = startKeelson(
    [
      ...['execution', '--data-dir', dataDir, '--network', network, '--jwt-secret', jwt, '--rpc.trusted', '127.0.0.1', ...hosts, ...ports],
      ...['--p2p.enabled', '--http.api', 'eth,net,admin,debug', ...args],
    ],
    { through },
  )
  const rpcUrl = `http://${host}:${port}`
  const info = await Promise.race([
    eventually('the execution client serving', () => rpcCall<{ enode: string }>(rpcUrl, 'admin_nodeInfo')),
    process.finished.then(({ code, stderr }) => assert.fail(`the execution client ended with ${code}: ${stderr.slice(-2_000)}`)),
  ])
  return {
    rpcUrl,
    process,
    enode: info.enode,
    engine: createEngineClient(
      { url: `http://${host}:${port + 2}`, jwtSecret: secret, versionFor: engineVersionsFor(readRollupConfig(network)) },
      { clock: createSystemClock(), random: createSeededRandom(port), log: SILENT_LOG },
    ),
    call: (method, ...params) => rpcCall(rpcUrl, method, params),
    metrics: async () => (await fetch(`http://${host}:${port + 3}/metrics`)).text(),
  }
}

/** The forced transactions of a block. */
export type DepositsOf = (number: number) => readonly Uint8Array[]

/** Builds blocks on `from`, or on genesis, each with one deposit unless `depositsOf` says otherwise, and returns the last. */
export async function buildChain(
  { engine }: Pick<ExecutionProcess, 'engine'>,
  network: string,
  count: number,
  depositsOf: DepositsOf = (number) => [depositOf(number)],
  from: PayloadEnvelope | null = null,
): Promise<PayloadEnvelope> {
  const rollup = readRollupConfig(network)
  const { header } = readGenesisBlock(network, rollup)
  const labels = { safe: ZERO_HASH, finalized: ZERO_HASH }
  let parent: { hash: Hash; number: number; timestampSec: number } =
    from === null
      ? { hash: hashHeader(header), ...header }
      : { hash: from.payload.blockHash, number: from.payload.blockNumber, timestampSec: from.payload.timestampSec }
  let last: PayloadEnvelope | null = null
  for (let i = 0; i < count; i++) {
    const timestampSec = parent.timestampSec + rollup.blockTimeSec
    const rules = rollup.forks.blockRules(l2Time(timestampSec))
    const started = await engine.forkchoiceUpdated(
      { head: parent.hash, ...labels },
      {
        timestampSec,
        prevRandao: ZERO_HASH,
        feeRecipient: SEQUENCER_FEE_VAULT,
        withdrawals: [],
        parentBeaconBlockRoot: rules.parentBeaconRoot ? ZERO_HASH : null,
        transactions: depositsOf(parent.number + 1),
        noTxPool: true,
        gasLimit: header.gasLimit,
        eip1559Params: rules.extraDataVersion === null ? null : new Uint8Array(8),
        minBaseFeeWei: rules.minBaseFee ? 0n : null,
      },
    )
    if (started.payloadId === null) throw new Error(`building failed: ${JSON.stringify(started)}`)
    last = await engine.getPayload(started.payloadId)
    await engine.newPayload(last.payload, last.parentBeaconBlockRoot)
    parent = { hash: last.payload.blockHash, number: last.payload.blockNumber, timestampSec }
  }
  await engine.forkchoiceUpdated({ head: parent.hash, ...labels }, null)
  return last as PayloadEnvelope
}

export function depositOf(number: number, data: Uint8Array = new Uint8Array(0)): Uint8Array {
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: l1InfoSourceHash(ZERO_HASH, number),
    from: hexToBytes(L1_INFO_DEPOSITOR),
    to: hexToBytes(L1_BLOCK),
    mintWei: 0n,
    valueWei: 0n,
    gasLimit: 1_000_000n,
    isSystemTx: false,
    data,
  }).raw
}
