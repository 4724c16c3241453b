/** What "" and null mean in every parameter of every method. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { bytesToHex } from '@keelson/primitives'
import { RpcError } from '@keelson/runtime'
import { WebSocket } from 'ws'
import { account, LOGGER, logTransaction, openRpcWorld, serveMethods } from '../support/execution-rpc-world.ts'
import type { ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'
import { type Example, exampleRequests, placesIn, replacedAt } from '../support/rpc-examples.ts'

describe('execution RPC: parameters that are empty', () => {
  let world: ExecutionWorld
  let examples: readonly Example[]
  before(async () => {
    world = await openRpcWorld()
    const tx = logTransaction(world, 0, 0n)
    const block = await world.mine({ transactions: [tx.raw] })
    await world.mine()
    examples = exampleRequests({
      sender: account(world, 0).address,
      other: account(world, 1).address,
      contract: LOGGER,
      blockHash: block.hash,
      blockNumber: '0x1',
      txHash: tx.hash,
      filter: await world.call('eth_newFilter', {}),
      blockFilter: await world.call('eth_newBlockFilter'),
      rawTransaction: bytesToHex(world.transfer(2, account(world, 1).address, 1n).raw),
    })
  })
  after(() => world.stop())

  const ask = async (method: string, params: readonly unknown[]) => {
    try {
      return { answer: await world.call(method, ...params) }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return { number: error.number, message: error.message }
    }
  }

  const isRefused = (result: { readonly number?: number }) => result.number === -32602
  const numberOrAnswer = (result: { readonly number?: number; readonly answer?: unknown }) => result.number ?? result.answer

  it('have an example for every method that takes any', () => {
    const known = new Set(examples.map(([method]) => method))
    const missing = Object.keys(world.node.methods).filter((name) => !known.has(name) && !WITHOUT_PARAMETERS.test(name))
    assert.deepEqual(missing, [])
  })

  it('have examples that are answered', async () => {
    for (const [method, params] of examples) {
      const { number, message } = await ask(method, params)
      assert.ok(number !== -32602, `${method} ${JSON.stringify(params)}: ${message}`)
    }
  })

  it('"" is no value: it is refused at every place of every parameter', async () => {
    for (const [method, params] of examples) {
      if (ANY_TEXT.has(method)) continue
      for (const at of placesIn(params)) {
        const result = await ask(method, replacedAt(params, at, '') as unknown[])
        assert.ok(isRefused(result), `${method} ${at.join('.')}: ${JSON.stringify(result)}`)
        assert.match(String(result.message), /^(invalid argument|both |cannot specify|exceed)/, `${method} ${at.join('.')}`)
      }
    }
  })

  it('"0x" is no quantity, as for geth', async () => {
    for (const [method, params] of examples) {
      for (const at of placesIn(params)) {
        const value = valueAt(params, at)
        const isQuantity = typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/.test(value)
        // A storage slot may be written in short.
        if (!isQuantity || BYTES_OR_SLOT.test(`${method} ${at.join('.')}`)) continue
        const result = await ask(method, replacedAt(params, at, '0x') as unknown[])
        assert.ok(isRefused(result), `${method} ${at.join('.')}: ${JSON.stringify(result)}`)
      }
    }
  })

  it('null is "not given" for every field', async () => {
    for (const [method, params] of examples) {
      if (NEW_IDS.has(method)) continue
      for (const at of placesIn(params)) {
        if (typeof at.at(-1) !== 'string' || IS_ENTRY.test(at.join('.'))) continue
        const [nulled, without] = [
          await ask(method, replacedAt(params, at, null) as unknown[]),
          await ask(method, replacedAt(params, at, undefined) as unknown[]),
        ]
        assert.deepEqual(
          numberOrAnswer(nulled),
          numberOrAnswer(without),
          `${method} ${at.join('.')}: ${nulled.message} / ${without.message}`,
        )
      }
    }
  })

  it('null is "not given" for all fields of an object at once, such as state and stateDiff', async () => {
    const nulls = (value: unknown): unknown =>
      Array.isArray(value) || typeof value !== 'object' || value === null
        ? null
        : Object.fromEntries(Object.keys(value).map((key) => [key, null]))
    for (const [method, params] of examples) {
      if (NEW_IDS.has(method)) continue
      for (const at of placesIn(params)) {
        const value = valueAt(params, at)
        if (typeof value !== 'object' || value === null || Array.isArray(value) || HOLDS_ENTRIES.test(`${method} ${at.join('.')}`)) continue
        const [nulled, without] = [
          await ask(method, replacedAt(params, at, nulls(value)) as unknown[]),
          await ask(method, replacedAt(params, at, {}) as unknown[]),
        ]
        assert.deepEqual(
          numberOrAnswer(nulled),
          numberOrAnswer(without),
          `${method} ${at.join('.')}: ${nulled.message} / ${without.message}`,
        )
      }
    }
  })

  it('null is "not given" for every last parameter', async () => {
    for (const [method, params] of examples) {
      if (NEW_IDS.has(method)) continue
      for (let i = 0; i < params.length; i++) {
        const [nulled, without] = [await ask(method, [...params.slice(0, i), null]), await ask(method, params.slice(0, i))]
        assert.deepEqual(numberOrAnswer(nulled), numberOrAnswer(without), `${method} ${i}`)
      }
    }
  })

  it('an account whose override is null, or has null for both storages, is not overridden', async () => {
    const { address } = account(world, 1)
    for (const override of [
      null,
      { state: null, stateDiff: null },
      { state: null, stateDiff: {} },
      { state: {}, stateDiff: null },
      { balance: null, code: null },
    ])
      assert.equal(await world.call('eth_call', { to: LOGGER, input: `0x${'01'.repeat(32)}` }, 'latest', { [address]: override }), '0x')
    const both = { [address]: { state: {}, stateDiff: {} } }
    assert.match((await rejection(world.call('eth_call', { to: LOGGER }, 'latest', both))).message, /both 'state' and 'stateDiff'/)
  })

  it('a filter with an empty block is refused, by eth_subscribe, too', async () => {
    const server = await serveMethods(world.node.methods)
    const socket = new WebSocket(server.wsUrl)
    try {
      await once(socket, 'open')
      for (const name of ['blockHash', 'fromBlock', 'toBlock', 'address', 'topics']) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['logs', { [name]: '' }] }))
        const [data] = await once(socket, 'message')
        assert.equal(JSON.parse(String(data)).error?.code, -32602, name)
        for (const method of ['eth_getLogs', 'eth_newFilter'])
          assert.ok(isRefused(await ask(method, [{ [name]: '' }])), `${method} ${name}`)
      }
    } finally {
      socket.terminate()
      await server.stop()
    }
  })
})

const WITHOUT_PARAMETERS =
  /^(net|admin|rpc)_|^eth_(accounts|blockNumber|chainId|gasPrice|maxPriorityFeePerGas|baseFee|blobBaseFee|syncing|config|capabilities|newBlockFilter|subscribe|unsubscribe|sendRawTransactionSync)$|^txpool_(content|inspect|status)$|^ots_getApiLevel$|^web3_clientVersion$|^debug_(traceBlock|executionWitness|payloadWitness)$/
/** Ids of filters are texts. */
const ANY_TEXT = new Set(['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'])
/** Each answer has a new id, or uses up a change. */
const NEW_IDS = new Set([
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_getFilterChanges',
  'eth_uninstallFilter',
  'eth_sendRawTransaction',
])
const BYTES_OR_SLOT =
  /\.(code|input|data)$|^web3_sha3|^eth_getStorage|^eth_getProof|^eth_sendRaw|Filter(Changes|Logs)|uninstallFilter|storageRangeAt 3/
/** Entries of a map, whose keys are slots, accounts or tracers; a slot has a value, and a tracer without options runs. */
const IS_ENTRY = /Tracer$|(state|stateDiff)\.0x|knownAccounts\.0x|^0\.0x[0-9a-f]+$/
const HOLDS_ENTRIES = /tracerConfig$|(state|stateDiff)$|knownAccounts|eth_getStorageValues 0/

function valueAt(value: unknown, [first, ...rest]: readonly (string | number)[]): unknown {
  return first === undefined ? value : valueAt((value as Record<string | number, unknown>)[first], rest)
}
