import assert from 'node:assert/strict'
import { bytesToHex, EMPTY_TRIE_ROOT, L1_BLOCK } from '@keelson/primitives'
import { createRpcAccess, type RpcError } from '@keelson/runtime'
import { account, openRpcWorld } from '../support/execution-rpc-world.ts'
import { createExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

const slot = (value: bigint | number) => `0x${BigInt(value).toString(16).padStart(64, '0')}`
const quantity = (value: number) => `0x${value.toString(16)}`
const L1_BASE_FEE = { [slot(1)]: slot(1_000_000_000) }
const pick = (error: RpcError) => [error.number, error.message] as const

describe('execution RPC: conditional transactions', () => {
  it('accepts a transaction whose conditions hold into the pool and the next block', async () => {
    const world = await openRpcWorld()
    const { header } = await world.mine()
    const tx = world.transfer(0, account(world, 1).address, 1n)
    const proof = await world.call('eth_getProof', L1_BLOCK, [], 'latest')
    const conditional = {
      knownAccounts: { [L1_BLOCK]: L1_BASE_FEE, [account(world, 2).address]: EMPTY_TRIE_ROOT },
      blockNumberMin: quantity(header.number),
      blockNumberMax: quantity(header.number + 10),
      timestampMin: quantity(header.timestampSec),
      timestampMax: quantity(header.timestampSec + 60),
    }
    assert.equal(await world.call('eth_sendRawTransactionConditional', bytesToHex(tx.raw), conditional), tx.hash)
    assert.deepEqual(world.node.pool.find(tx.hash)?.conditional?.blockNumberMax, BigInt(header.number + 10))
    const byRoot = world.transfer(2, account(world, 1).address, 1n)
    const roots = { knownAccounts: { [L1_BLOCK]: proof.storageHash } }
    await world.call('eth_sendRawTransactionConditional', bytesToHex(byRoot.raw), roots)
    const plain = world.transfer(3, account(world, 1).address, 1n)
    await world.call('eth_sendRawTransactionConditional', bytesToHex(plain.raw), {})
    const block = await world.mine()
    for (const { hash } of [tx, byRoot, plain]) assert.ok(block.transactions.some((included) => included.hash === hash))
  })

  it('rejects failed conditions with -32003 and expensive ones with -32005, and keeps neither', async () => {
    const world = await openRpcWorld()
    await world.mine()
    const raw = bytesToHex(world.transfer(0, account(world, 1).address, 1n).raw)
    const refused = async (conditional: unknown) => pick(await rejection(world.call('eth_sendRawTransactionConditional', raw, conditional)))
    const now = world.node.chain.label('unsafe').header.timestampSec
    for (const [conditional, text] of [
      [{ blockNumberMin: '0x2', blockNumberMax: '0x1' }, /^failed conditional validation: block number minimum constraint must be/],
      [{ timestampMin: '0x2', timestampMax: '0x1' }, /^failed conditional validation: timestamp minimum constraint must be/],
      [{ blockNumberMin: '0x2' }, /^failed header check: failed block number minimum constraint/],
      [{ blockNumberMax: '0x0' }, /^failed header check: failed block number maximum constraint/],
      [{ timestampMin: quantity(now + 1) }, /^failed header check: failed timestamp minimum constraint/],
      [{ timestampMax: quantity(now - 1) }, /^failed header check: failed timestamp maximum constraint/],
      [{ knownAccounts: { [L1_BLOCK]: { [slot(1)]: slot(5) } } }, /^failed state check: failed account storage slot key 0x0+1 constraint/],
      [{ knownAccounts: { [L1_BLOCK]: EMPTY_TRIE_ROOT } }, /^failed state check: failed account storage root constraint\. Got 0x/],
    ] as const) {
      const [number, message] = await refused(conditional)
      assert.equal(number, -32003)
      assert.match(message, text)
    }
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [slot(i), slot(0)]))
    assert.deepEqual(await refused({ knownAccounts: { [L1_BLOCK]: many } }), [-32005, 'conditional cost, 1001, exceeded max: 1000'])
    for (const bad of [null, undefined, 7, { knownAccounts: 7 }, { knownAccounts: { '0x1': {} } }, { blockNumberMin: '0x01' }]) {
      assert.equal((await refused(bad))[0], -32602, JSON.stringify(bad))
    }
    assert.equal(world.node.pool.counts().pending, 0)
  })

  it('rejects a transaction with misspelt conditions', async () => {
    const world = await openRpcWorld()
    await world.mine()
    const raw = bytesToHex(world.transfer(0, account(world, 1).address, 1n).raw)
    for (const [conditional, field] of [
      [{ blocknumbermax: '0x0', timestampMaximum: '0x1' }, 'blocknumbermax'],
      [{ blockNumberMin: '0x0', timestampMaximum: '0x1' }, 'timestampMaximum'],
      [{ '': '0x0' }, ''],
    ] as const) {
      const [number, message] = pick(await rejection(world.call('eth_sendRawTransactionConditional', raw, conditional)))
      assert.equal(number, -32602)
      assert.ok(message.includes(`unknown field "${field}"`), message)
      assert.match(message, /known are knownAccounts, blockNumberMin, blockNumberMax, timestampMin, timestampMax$/)
    }
    assert.equal(world.node.pool.counts().pending, 0)
  })

  it('charges look-ups only to their caller', async () => {
    const world = await openRpcWorld()
    const raw = bytesToHex(world.transfer(0, account(world, 1).address, 1n).raw)
    const dear = { knownAccounts: { [L1_BLOCK]: Object.fromEntries(Array.from({ length: 999 }, (_, i) => [slot(100 + i), slot(1)])) } }
    const access = createRpcAccess({ trusted: [], proxies: [] }, { clock: world.clock })
    const ask = async (peer: string) => {
      const entry = access.identify({ peer, path: '/', forwardedFor: undefined, authorization: undefined })
      assert.ok(entry.ok)
      const context = { signal: new AbortController().signal, transport: 'http' as const, caller: entry.caller }
      return pick(await rejection((async () => world.node.methods.eth_sendRawTransactionConditional?.([raw, dear], context))()))
    }
    const answers = [await ask('203.0.113.1'), await ask('203.0.113.1'), await ask('203.0.113.1'), await ask('203.0.113.1')]
    assert.deepEqual(
      answers.map(([number]) => number),
      [-32003, -32003, -32003, -32005],
    )
    assert.equal(answers[3]?.[1], 'cost 1000 rate limited')
    assert.equal((await ask('203.0.113.2'))[0], -32003)
  })

  it('ignores the conditions of another caller for a plain submission of the same transaction', async () => {
    const world = await openRpcWorld()
    await world.mine()
    const tx = world.transfer(0, account(world, 1).address, 1n)
    const raw = bytesToHex(tx.raw)
    const last = quantity(world.node.chain.label('unsafe').header.number + 1)
    await world.call('eth_sendRawTransactionConditional', raw, { blockNumberMax: last })
    assert.equal(await world.call('eth_sendRawTransaction', raw), tx.hash)
    assert.equal(world.node.pool.find(tx.hash)?.conditional, undefined)
    const again = await rejection(world.call('eth_sendRawTransactionConditional', raw, { blockNumberMax: last }))
    assert.deepEqual(pick(again), [-32000, 'already known'])
    for (let i = 0; i < 2; i++) await world.mine({ noTxPool: true })
    assert.ok(world.node.pool.find(tx.hash), 'the bound of the stranger has passed')
    assert.ok((await world.mine()).transactions.some((included) => included.hash === tx.hash))
  })

  it('is served only when the operator enables it', async () => {
    const world = await createExecutionWorld()
    const context = { signal: new AbortController().signal, transport: 'http' as const }
    const raw = bytesToHex(world.transfer(0, account(world, 1).address, 1n).raw)
    const off = await rejection((async () => world.node.methods.eth_sendRawTransactionConditional?.([raw, {}], context))())
    assert.deepEqual(pick(off), [
      -32601,
      'the method eth_sendRawTransactionConditional does not exist/is not available: the operator of this node enables it with --rpc.conditional',
    ])
    assert.equal(world.node.pool.counts().pending, 0)
    assert.ok('eth_sendRawTransaction' in world.node.methods)
  })
})
