import assert from 'node:assert/strict'
import { createL1Schedule, genesisHeader, loadGenesis, loadL1ChainConfig } from '@keelson/chainspec'
import { createExecutionNode, DEFAULT_EXECUTION_OPTIONS, type ExecutionNode, type FirstBlock, type ForkPoints } from '@keelson/execution'
import { decodeBlock, type Hash, type Logger, rlpDecodeFirst, toAddress } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createMetrics, createSeededRandom, type RpcMethods } from '@keelson/runtime'
import { computeGenesisState } from '@keelson/state'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { createTestEngine } from '../support/test-engine.ts'
import { withBlobSchedule } from './l1-genesis.ts'

const ignore = () => undefined
const SILENT: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => SILENT }

const CALL_GAS_CAP = 50_000_000n

export async function openL1Node(stated: unknown): Promise<ExecutionNode> {
  const genesis = withBlobSchedule(stated)
  const config = loadL1ChainConfig(genesis)
  const schedule = createL1Schedule(config)
  const parsed = loadGenesis(genesis)
  const state = computeGenesisState(parsed.accounts)
  const header = genesisHeader(parsed, state.stateRoot, null, schedule.blockRules(parsed.number, parsed.timestampSec))
  const crypto = createNativeCrypto()
  const options = {
    ...DEFAULT_EXECUTION_OPTIONS,
    rpc: { ...DEFAULT_EXECUTION_OPTIONS.rpc, callGasCap: CALL_GAS_CAP, testingMethods: true },
  }
  const node = await createExecutionNode(options, {
    chain: {
      chainId: config.chainId,
      rules: {
        rulesAt: ({ number, timestampSec }) => schedule.blockRules(number, timestampSec),
        transitionAt: () => null,
        forkPoints: (first) => forkPoints(genesis, first),
      },
      genesis: { header, alloc: parsed.accounts },
    },
    store: createMemoryStore(),
    clock: createManualClock(parsed.timestampSec * 1000),
    random: createSeededRandom(1),
    log: SILENT,
    metrics: createMetrics('conformance'),
    crypto,
    evm: createTestEngine({ crypto }),
  })
  await node.start(new AbortController().signal)
  return node
}

function forkPoints(genesis: unknown, { hash, header }: FirstBlock): ForkPoints {
  const { config } = genesis as { readonly config: Readonly<Record<string, unknown>> }
  const after = (suffix: string, first: number) => {
    const points = Object.entries(config).flatMap(([name, at]) => (name.endsWith(suffix) && typeof at === 'number' && at > first ? at : []))
    return [...new Set(points)].sort((a, b) => a - b)
  }
  const { depositContractAddress } = config
  return {
    genesis: hash,
    blocks: after('Block', 0),
    times: after('Time', header.timestampSec),
    ...(typeof depositContractAddress === 'string' ? { depositContract: toAddress(depositContractAddress) } : {}),
  }
}

export interface JsonRpcRequest {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

export async function request(methods: RpcMethods, { method, params }: JsonRpcRequest): Promise<unknown> {
  const handler = methods[method]
  if (handler === undefined) throw new Error(`the method ${method} does not exist/is not available`)
  const result = await handler(params ?? [], { signal: new AbortController().signal, transport: 'http' })
  return JSON.parse(JSON.stringify(result ?? null))
}

export interface ForkchoiceRequest extends JsonRpcRequest {
  readonly params: readonly [{ readonly headBlockHash: string }, ...unknown[]]
}

export async function importExportedChain(
  node: ExecutionNode,
  chain: Uint8Array,
): Promise<{ readonly head: Hash; readonly blocks: number }> {
  let blocks = 0
  let head: Hash | null = null
  for (let at = 0; at < chain.length; blocks++) {
    const { end } = rlpDecodeFirst(chain, at)
    const raw = chain.slice(at, end)
    const verdict = await node.importExported(raw)
    assert.equal(verdict.kind, 'valid', `block ${blocks}: ${JSON.stringify(verdict)}`)
    head = decodeBlock(raw).hash
    at = end
  }
  assert.ok(head !== null, 'the chain has no blocks')
  return { head, blocks }
}
