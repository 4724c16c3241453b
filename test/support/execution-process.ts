/** A `keelson execution` process with peers, and its engine API. */
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
}

export interface ExecutionProcessOptions {
  readonly network: string
  readonly dataDir: string
  readonly port: number
  readonly args?: readonly string[]
}

/** Uses six ports from `port` on. */
export async function startExecution({ network, dataDir, port, args = [] }: ExecutionProcessOptions): Promise<ExecutionProcess> {
  mkdirSync(dataDir, { recursive: true })
  const jwt = join(dataDir, 'jwt.hex')
  const { secret } = await loadJwtSecret(jwt, { create: true })
  const process = startKeelson([
    ...['execution', '--data-dir', dataDir, '--network', network, '--jwt-secret', jwt, '--rpc.trusted', '127.0.0.1'],
    ...['--http.port', String(port), '--ws.port', String(port + 1), '--engine.port', String(port + 2), '--metrics.port', String(port + 3)],
    ...['--p2p.enabled', '--p2p.port', String(port + 4), '--http.api', 'eth,net,admin,debug', ...args],
  ])
  const rpcUrl = `http://127.0.0.1:${port}`
  const info = await eventually('the execution client serving', () => rpcCall<{ enode: string }>(rpcUrl, 'admin_nodeInfo'))
  return {
    rpcUrl,
    process,
    enode: info.enode,
    engine: createEngineClient(
      { url: `http://127.0.0.1:${port + 2}`, jwtSecret: secret, versionFor: engineVersionsFor(readRollupConfig(network)) },
      { clock: createSystemClock(), random: createSeededRandom(port), log: SILENT_LOG },
    ),
    call: (method, ...params) => rpcCall(rpcUrl, method, params),
  }
}

/** The forced transactions of a block. */
export type DepositsOf = (number: number) => readonly Uint8Array[]

/** Builds blocks on the genesis block of a network, each with one deposit unless `depositsOf` says otherwise, and returns the last. */
export async function buildChain(
  { engine }: Pick<ExecutionProcess, 'engine'>,
  network: string,
  count: number,
  depositsOf: DepositsOf = (number) => [deposit(number)],
): Promise<PayloadEnvelope> {
  const rollup = readRollupConfig(network)
  const { header } = readGenesisBlock(network, rollup)
  const labels = { safe: ZERO_HASH, finalized: ZERO_HASH }
  let parent: { hash: Hash; number: number; timestampSec: number } = { hash: hashHeader(header), ...header }
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

function deposit(number: number): Uint8Array {
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: l1InfoSourceHash(ZERO_HASH, number),
    from: hexToBytes(L1_INFO_DEPOSITOR),
    to: hexToBytes(L1_BLOCK),
    mintWei: 0n,
    valueWei: 0n,
    gasLimit: 1_000_000n,
    isSystemTx: false,
    data: new Uint8Array(0),
  }).raw
}
