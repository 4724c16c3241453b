import assert from 'node:assert/strict'
import { createL1Schedule, loadL1ChainConfig } from '@keelson/chainspec'
import { createMemoryView, createTracer, openBlock, type TracerSlot, traceTransaction } from '@keelson/evm'
import { createPureCrypto, decodeSignedTransaction, hexToBytes, recoverSender, toAddress, ZERO_HASH } from '@keelson/primitives'
import { syncKzg } from '../../support/sync-kzg.ts'
import { createTestEngine } from '../../support/test-engine.ts'
import type { ConformanceGroup } from '../group.ts'
import { withBlobSchedule } from '../l1-genesis.ts'

interface TracerVector {
  readonly genesis: { readonly alloc: Readonly<Record<string, VectorAccount>>; readonly config: Json }
  readonly context: Readonly<Record<'number' | 'timestamp' | 'difficulty' | 'gasLimit' | 'miner', string>> & {
    readonly baseFeePerGas?: string
  }
  readonly input: string
  readonly tracerConfig?: Readonly<Record<string, unknown>>
  readonly result: unknown
}

interface VectorAccount {
  readonly balance: string
  readonly code?: string
  readonly nonce?: string
  readonly storage?: Readonly<Record<string, string>>
}

interface TracerKind {
  readonly tracer: string
  view(result: unknown, other: unknown): unknown
}

const whole = (result: unknown) => result

const KINDS: readonly (readonly [folder: string, kind: TracerKind])[] = [
  ['call_tracer_legacy', { tracer: 'callTracer', view: legacyView }],
  ['call_tracer_flat', { tracer: 'flatCallTracer', view: flatView }],
  ['call_tracer', { tracer: 'callTracer', view: callView }],
  ['erc7562_tracer', { tracer: 'erc7562Tracer', view: whole }],
  ['prestate_tracer', { tracer: 'prestateTracer', view: whole }],
]
const FOLDER = 'tracers/'

const crypto = createPureCrypto()
const engine = createTestEngine({ crypto, kzg: syncKzg })
const word = (hex: string) => hexToBytes(`0x${hex.slice(2).padStart(64, '0')}`)

async function judge(vector: TracerVector, { tracer, view }: TracerKind): Promise<void> {
  const got = JSON.parse(JSON.stringify(await trace(vector, tracer)))
  assert.deepEqual(view(got, vector.result), view(vector.result, got))
}

export const tracers: ConformanceGroup = {
  name: 'tracers',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json$/), (path) => {
      const id = path.slice(FOLDER.length).replace(/\.json$/, '')
      const kind = KINDS.find(([beginning]) => id.startsWith(beginning))?.[1]
      assert.ok(kind !== undefined, 'no tracer is known for a folder of this name')
      const vector = folder.json<TracerVector>(path)
      return [{ id, run: () => judge(vector, kind) }]
    }),
}

async function trace({ genesis, context, input, tracerConfig }: TracerVector, name: string): Promise<unknown> {
  const number = Number(context.number)
  const timestampSec = Number(context.timestamp)
  const config = loadL1ChainConfig(withBlobSchedule({ config: inOrder(genesis.config) }))
  const rules = createL1Schedule(config).blockRules(number, timestampSec)
  const slot: TracerSlot = { tracer: null }
  const block = openBlock({
    engine,
    view: createMemoryView(
      Object.entries(genesis.alloc).map(([address, account]) => ({
        address: hexToBytes(toAddress(address)),
        balanceWei: BigInt(account.balance),
        nonce: BigInt(account.nonce ?? 0),
        code: hexToBytes(account.code ?? '0x'),
        storage: Object.entries(account.storage ?? {})
          .filter(([, value]) => BigInt(value) !== 0n)
          .map(([key, value]) => [word(key), word(value)] as const),
      })),
    ),
    header: {
      parentHash: ZERO_HASH,
      number,
      timestampSec,
      gasLimit: BigInt(context.gasLimit),
      baseFeeWei: context.baseFeePerGas === undefined ? null : BigInt(context.baseFeePerGas),
      feeRecipient: toAddress(context.miner),
      mixHash: ZERO_HASH,
      difficulty: BigInt(context.difficulty),
      parentBeaconBlockRoot: null,
      excessBlobGas: 0n,
    },
    rules,
    transition: null,
    chainId: config.chainId,
    crypto,
    blockHash: () => null,
    rootOf: () => ZERO_HASH,
    session: slot,
  })
  const tx = decodeSignedTransaction(hexToBytes(`0x${input.replace(/^0x/, '')}`))
  const sender = recoverSender(tx, crypto)
  assert.ok(sender !== null, 'the sender of the transaction')
  const tracer = createTracer(name, tracerConfig ?? {}, {
    rules,
    precompiles: new Set(engine.precompiles(rules).map((address) => toAddress(address))),
    place: null,
    budget: { spend: () => undefined },
  })
  assert.ok(tracer !== null, `a tracer named ${name}`)
  const done = traceTransaction(block, slot, tracer, tx, sender, crypto)
  assert.equal(done.kind, 'included', done.kind === 'rejected' ? done.message : '')
  return tracer.result()
}

const FORK_BLOCKS = [
  'homesteadBlock',
  'eip150Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
  'berlinBlock',
  'londonBlock',
]

function inOrder(config: Json): Json {
  const ordered: Record<string, unknown> = Object.fromEntries(
    Object.entries(config).map(([name, value]) => [`${name.charAt(0).toLowerCase()}${name.slice(1)}`, value]),
  )
  let latest = 0
  for (const name of FORK_BLOCKS) {
    if (typeof ordered[name] !== 'number') continue
    latest = Math.max(latest, ordered[name])
    ordered[name] = latest
  }
  return ordered
}

type Json = Readonly<Record<string, unknown>>

/** Fields that geth compares and older recordings have. */
function callView(result: unknown, other: unknown): unknown {
  const { time, calls, logs, ...frame } = result as Json
  const others = listOf(other, 'calls')
  const otherLogs = listOf(other, 'logs')
  return {
    ...frame,
    ...(calls === undefined ? {} : { calls: (calls as Json[]).map((call, i) => callView(call, others[i])) }),
    ...(logs === undefined ? {} : { logs: (logs as Json[]).map((log, i) => onlyShared(log, otherLogs[i], ['index', 'position'])) }),
  }
}

/** The older tracer omits some gas and inner failure reasons, and writes empty output. */
function legacyView(result: unknown, other: unknown): unknown {
  const { calls, revertReason, error, to, ...frame } = result as Json
  const unnamed = error === 'internal failure' || (other as Json | undefined)?.error === 'internal failure'
  return {
    ...onlyShared({ output: '0x', ...frame }, { output: '0x', ...(other as Json | undefined) }, ['gas', 'gasUsed']),
    ...(error === undefined ? {} : { error: unnamed ? 'some failure' : error }),
    ...(to === undefined ? {} : { to: String(to).toLowerCase() }),
    ...(calls === undefined ? {} : { calls: (calls as Json[]).map((call, i) => legacyView(call, listOf(other, 'calls')[i])) }),
  }
}

function listOf(value: unknown, key: string): readonly Json[] {
  return ((value as Json | undefined)?.[key] ?? []) as readonly Json[]
}

function onlyShared(value: Json, other: Json | undefined, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key) || other?.[key] !== undefined))
}

const NO_ADDRESS = `0x${'00'.repeat(20)}`
const EMPTY_ACTION = {
  author: NO_ADDRESS,
  address: NO_ADDRESS,
  balance: '0x0',
  from: NO_ADDRESS,
  gas: '0x0',
  init: '0x',
  input: '0x',
  refundAddress: NO_ADDRESS,
  to: NO_ADDRESS,
  value: '0x0',
}
const EMPTY_RESULT = { address: NO_ADDRESS, code: '0x', gasUsed: '0x0', output: '0x' }

function flatView(result: unknown): unknown {
  return (result as Json[]).map(({ blockHash, blockNumber, transactionHash, transactionPosition, time, ...frame }) => ({
    ...frame,
    action: { ...EMPTY_ACTION, ...(frame.action as Json) },
    result: { ...EMPTY_RESULT, ...(frame.result as Json | undefined) },
  }))
}
