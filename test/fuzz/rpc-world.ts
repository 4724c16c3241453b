import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { bytesToHex, type Logger } from '@keelson/primitives'
import { createDispatcher, DEFAULT_RPC_LIMITS, type RpcMethods } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

export interface RpcWorld {
  readonly world: ExecutionWorld
  readonly facts: {
    readonly accounts: readonly string[]
    readonly contract: string
    readonly blockHashes: readonly string[]
    readonly txHashes: readonly string[]
    readonly rawTxs: readonly string[]
    readonly topic: string
    readonly filterIds: readonly string[]
  }
  send(body: string): Promise<string | null>
}

const BLOCKS = 6
const FILTERS = 40
const TIMEOUT_MS = 4_000
const CONTRACT_CODE =
  '0x600160005560426000527f1111111111111111111111111111111111111111111111111111111111111111602060' + '00a1366000600037366000f3'
const CONTRACT = new Uint8Array(20).fill(0xcc)

export async function createRpcWorld(port: 'public' | 'engine'): Promise<RpcWorld> {
  const code = Buffer.from(CONTRACT_CODE.slice(2), 'hex')
  const world = await createExecutionWorld({
    forks: forksAtGenesis('lagoon'),
    options: { rpc: { ...DEFAULT_EXECUTION_OPTIONS.rpc, conditionalTransactions: true } },
    alloc: [
      {
        address: bytesToHex(CONTRACT) as never,
        nonce: 1n,
        balanceWei: 7n,
        code: new Uint8Array(code),
        storage: [[new Uint8Array(32), new Uint8Array(32).fill(1)]],
      },
    ],
  })
  const rawTxs: string[] = []
  const blockHashes: string[] = [world.genesis.hash]
  const txHashes: string[] = []
  for (let i = 0; i < BLOCKS; i++) {
    const tx = world.transfer(i % 4, bytesToHex(CONTRACT), BigInt(i))
    rawTxs.push(bytesToHex(tx.raw))
    txHashes.push(tx.hash)
    blockHashes.push((await world.mine({ transactions: [tx.raw] })).hash)
  }
  const waiting = bytesToHex(world.transfer(8, bytesToHex(CONTRACT), 1n).raw)
  rawTxs.push(waiting)
  await world.call('eth_sendRawTransaction', waiting)

  let inner: unknown = null
  const ignore = () => undefined
  const log: Logger = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (_, fields) => {
      inner = (fields as { error?: unknown } | undefined)?.error ?? 'no reason given'
    },
    child: () => log,
  }
  const methods: RpcMethods = port === 'public' ? world.node.methods : world.node.engineMethods
  const dispatcher = createDispatcher({ methods, limits: { ...DEFAULT_RPC_LIMITS, timeoutMs: TIMEOUT_MS }, log })
  const filterIds: string[] = []
  for (let i = 0; i < FILTERS; i++) filterIds.push(await (i % 2 === 0 ? world.call('eth_newBlockFilter') : world.call('eth_newFilter', {})))
  const facts = {
    filterIds,
    accounts: world.accounts.map(({ address }) => address),
    contract: bytesToHex(CONTRACT),
    blockHashes,
    txHashes,
    rawTxs,
    topic: `0x${'11'.repeat(32)}`,
  }
  return {
    world,
    facts,
    async send(body) {
      inner = null
      const { text } = await dispatcher.dispatch(body, { signal: new AbortController().signal, transport: 'http' })
      if (inner !== null) throw inner instanceof Error ? inner : new Error(String(inner))
      return text
    },
  }
}

/** Code -32603 means an internal error of ours. */
export function assertAnswer(text: string | null): void {
  if (text === null) return
  const parsed: unknown = JSON.parse(text)
  const answers = Array.isArray(parsed) ? parsed : [parsed]
  assert.ok(answers.length > 0)
  for (const answer of answers) {
    assert.equal(answer.jsonrpc, '2.0')
    assert.ok('id' in answer, 'an answer has an id')
    assert.notEqual('result' in answer, 'error' in answer, 'either a result or an error')
    if (!('error' in answer)) continue
    assert.ok(Number.isInteger(answer.error.code), `code ${answer.error.code}`)
    assert.equal(typeof answer.error.message, 'string')
    assert.notEqual(answer.error.code, -32603, answer.error.message)
    assert.ok(
      !/undefined|\[object|is not a function|Cannot read/.test(answer.error.message),
      `a message for people: ${answer.error.message}`,
    )
  }
}
