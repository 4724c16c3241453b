import assert from 'node:assert/strict'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { bytesToHex, type Hash, ZERO_HASH } from '@keelson/primitives'
import type { RpcError } from '@keelson/runtime'
import { account, LOGGER, logTransaction, NO_LABELS, openRpcWorld, TOPIC } from '../support/execution-rpc-world.ts'
import type { ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

describe('execution RPC: logs', () => {
  it('finds logs by address and topic, limits the range, and suggests the next one', async () => {
    const world = await openRpcWorld({
      options: { rpc: { ...DEFAULT_EXECUTION_OPTIONS.rpc, maxLogRangeBlocks: 3, maxLogResults: 2 } },
    })
    for (let i = 0n; i < 4n; i++) await world.mine({ transactions: [logTransaction(world, 0, i).raw] })
    const logs = await world.call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x3', address: LOGGER, topics: [[TOPIC, ZERO_HASH]] })
    assert.deepEqual(
      logs.map((log: { blockNumber: string; logIndex: string; removed: boolean }) => [log.blockNumber, log.logIndex, log.removed]),
      [
        ['0x2', '0x0', false],
        ['0x3', '0x0', false],
      ],
    )
    assert.deepEqual(await world.call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x3', topics: [ZERO_HASH] }), [])
    assert.deepEqual(await world.call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x3', address: account(world, 0).address }), [])
    assert.equal((await world.call('eth_getLogs', { fromBlock: '0x4', toBlock: '0x4', topics: [null] })).length, 1)
    assert.equal((await world.call('eth_getLogs', { fromBlock: '0x4', toBlock: '0x4', topics: [null, null] })).length, 0)
    const wide = await rejection(world.call('eth_getLogs', { fromBlock: '0x0', toBlock: '0x4' }))
    assert.deepEqual([wide.number, wide.data], [-32005, { from: '0x0', to: '0x2', limit: 3 }])
    const many = await rejection(world.call('eth_getLogs', { fromBlock: '0x2', toBlock: '0x4' }))
    assert.equal(many.message, 'query exceeds max results 2, retry with the range 2-3; this block range should work: [0x2, 0x3]')
    assert.equal((await rejection(world.call('eth_getLogs', { fromBlock: '0x3', toBlock: '0x2' }))).message, 'invalid block range params')
    assert.equal((await rejection(world.call('eth_getLogs', { blockHash: ZERO_HASH }))).message, 'unknown block')
  })

  it('rejects a range that ends beyond the head', async () => {
    const world = await openRpcWorld()
    for (let i = 0n; i < 3n; i++) await mineLog(world, i)
    const refused = async (method: string, argument: unknown) => pick(await rejection(world.call(method, argument)))
    const beyond = [-32602, 'block range extends beyond current head block']
    const reversed = [-32602, 'invalid block range params']
    for (const [range, expected] of [
      [{ fromBlock: '0x2', toBlock: '0x4' }, beyond],
      [{ fromBlock: 'earliest', toBlock: '0xffffff' }, beyond],
      [{ toBlock: '0x4' }, beyond],
      [{ fromBlock: '0x4', toBlock: '0x5', address: LOGGER }, beyond],
      [{ fromBlock: '0x5', toBlock: '0x4' }, reversed],
      [{ fromBlock: '0x4' }, reversed],
      [{ fromBlock: '0x4', toBlock: 'pending' }, reversed],
      [{ fromBlock: 'latest', toBlock: '0x2' }, reversed],
    ] as const) {
      assert.deepEqual(await refused('eth_getLogs', range), expected, JSON.stringify(range))
    }
    for (const toBlock of ['latest', 'pending', '0x3']) {
      assert.equal((await world.call('eth_getLogs', { fromBlock: '0x2', toBlock })).length, 2, toBlock)
    }
    for (const range of [{ toBlock: '0x2' }, { toBlock: '0x9' }, { fromBlock: 'safe', toBlock: '0x9' }])
      assert.deepEqual(await refused('eth_newFilter', range), reversed, `${JSON.stringify(range)} fits no later log, says geth`)
    assert.ok(await world.call('eth_newFilter', { fromBlock: 'earliest', toBlock: '0x9' }))
    const filter = await world.call('eth_newFilter', { fromBlock: '0x2', toBlock: '0x4' })
    assert.deepEqual(await refused('eth_getFilterLogs', filter), beyond)
    await mineLog(world, 3n)
    assert.equal((await world.call('eth_getFilterLogs', filter)).length, 3)
    assert.equal((await world.call('eth_getFilterChanges', filter)).length, 1)
  })
})

describe('execution RPC: filters', () => {
  it('keeps a polled filter, and reports an expired one', async () => {
    const world = await openRpcWorld()
    const blocks = await world.call('eth_newBlockFilter')
    const logs = await world.call('eth_newFilter', { address: LOGGER })
    const pending = await world.call('eth_newPendingTransactionFilter')
    const tx = logTransaction(world, 0, 0n)
    await world.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    const block = await world.mine()
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [block.hash])
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [])
    assert.equal((await world.call('eth_getFilterChanges', logs))[0].transactionHash, tx.hash)
    assert.deepEqual(await world.call('eth_getFilterChanges', pending), [tx.hash])
    assert.equal((await world.call('eth_getFilterLogs', logs)).length, 1)
    await world.clock.advance(4 * 60_000)
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [])
    await world.clock.advance(4 * 60_000)
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [], 'polling renewed it')
    assert.deepEqual(pick(await rejection(world.call('eth_getFilterChanges', logs))), [-32000, 'filter not found'])
    assert.equal(await world.call('eth_uninstallFilter', blocks), true)
    assert.equal(await world.call('eth_uninstallFilter', blocks), false)
  })

  it('continues after an orderly restart with exactly the logs since the last poll', async () => {
    const world = await openRpcWorld()
    const logs = await world.call('eth_newFilter', { address: LOGGER, topics: [[TOPIC]] })
    const blocks = await world.call('eth_newBlockFilter')
    const gone = await world.call('eth_newBlockFilter')
    const first = await mineLog(world, 0n)
    assert.deepEqual(await seen(world, logs), [[first, false]])
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [first])
    await world.call('eth_uninstallFilter', gone)
    const second = await mineLog(world, 1n)
    await world.stop()
    const again = await world.restart()
    const third = await mineLog(again, 2n)
    assert.deepEqual(await seen(again, logs), [
      [second, false],
      [third, false],
    ])
    assert.deepEqual(await again.call('eth_getFilterChanges', blocks), [second, third])
    assert.deepEqual(await seen(again, logs), [])
    assert.deepEqual(pick(await rejection(again.call('eth_getFilterChanges', gone))), [-32000, 'filter not found'])
  })

  it('loses nothing when the process is killed, and repeats only an answer that may be lost', async () => {
    const world = await openRpcWorld()
    const logs = await world.call('eth_newFilter', { address: LOGGER })
    const blocks = await world.call('eth_newBlockFilter')
    const first = await mineLog(world, 0n)
    assert.deepEqual(await seen(world, logs), [[first, false]])
    assert.deepEqual(await seen(world, logs), [], 'asking again says that the answer arrived')
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [first])
    const second = await mineLog(world, 1n)
    const killed = await world.restart()
    assert.deepEqual(await seen(killed, logs), [[second, false]])
    assert.deepEqual(await killed.call('eth_getFilterChanges', blocks), [first, second], 'the first answer may be lost')
    const killedAgain = await killed.restart()
    assert.deepEqual(await seen(killedAgain, logs), [[second, false]])
    assert.deepEqual(await seen(killedAgain, logs), [])
  })

  it('returns logs removed by a reorg first, also after a restart', async () => {
    const world = await openRpcWorld()
    const logs = await world.call('eth_newFilter', { address: LOGGER })
    const blocks = await world.call('eth_newBlockFilter')
    const unread = await world.call('eth_newFilter', { address: LOGGER })
    const a1 = await mineLog(world, 0n)
    const a2 = await mineLog(world, 1n)
    assert.deepEqual(await seen(world, logs), [
      [a1, false],
      [a2, false],
    ])
    assert.deepEqual(await world.call('eth_getFilterChanges', blocks), [a1, a2])
    const transactions = [logTransaction(world, 0, 0n).raw]
    const b1 = await world.mine({ parent: world.genesis.hash, prevRandao: TOPIC, noTxPool: true, setHead: false, transactions })
    const b2 = await world.mine({ parent: b1.hash, noTxPool: true, setHead: false })
    const b3 = await world.mine({ parent: b2.hash, noTxPool: true, setHead: false })
    await world.engine.forkchoiceUpdated({ head: b3.hash, ...NO_LABELS }, null)
    const killed = await world.restart()
    const moved = [
      [a1, true],
      [a2, true],
      [b1.hash, false],
    ]
    assert.deepEqual(await seen(killed, logs), moved)
    assert.deepEqual(await killed.call('eth_getFilterChanges', blocks), [b1.hash, b2.hash, b3.hash])
    assert.deepEqual(await seen(killed, unread), [[b1.hash, false]], 'what was never said is not taken back')
    await killed.engine.forkchoiceUpdated({ head: a2, ...NO_LABELS }, null)
    assert.deepEqual(await seen(killed, logs), [
      [b1.hash, true],
      [a1, false],
      [a2, false],
    ])
    await killed.engine.forkchoiceUpdated({ head: a1, ...NO_LABELS }, null)
    assert.deepEqual(await seen(killed, logs), [[a2, true]], 'the head went back to an ancestor')
  })

  it('stays in its range, and splits a long answer', async () => {
    const world = await openRpcWorld({
      options: { rpc: { ...DEFAULT_EXECUTION_OPTIONS.rpc, maxLogResults: 2, maxUnindexedLogRangeBlocks: 3 } },
    })
    const ranged = await world.call('eth_newFilter', { fromBlock: '0x2', toBlock: '0x3', address: LOGGER })
    const all = await world.call('eth_newFilter', { address: LOGGER })
    const anyAddress = await world.call('eth_newFilter', {})
    const hashes: Hash[] = []
    for (let i = 0n; i < 5n; i++) hashes.push(await mineLog(world, i))
    const plain = hashes.map((hash) => [hash, false])
    assert.deepEqual(await seen(world, ranged), plain.slice(1, 3))
    assert.deepEqual(await seen(world, all), plain.slice(0, 2))
    assert.deepEqual(await seen(world, anyAddress), plain.slice(0, 2))
    assert.deepEqual(await seen(world, all), plain.slice(2, 4))
    assert.deepEqual(await seen(world, all), plain.slice(4))
    assert.deepEqual(await seen(world, anyAddress), plain.slice(2, 4))
    assert.deepEqual(await seen(world, anyAddress), plain.slice(4))
    assert.deepEqual(await seen(world, ranged), [])
  })

  it('limits the number of filters', async () => {
    const world = await openRpcWorld({ options: { rpc: { ...DEFAULT_EXECUTION_OPTIONS.rpc, maxFilters: 2 } } })
    await world.call('eth_newBlockFilter')
    await world.call('eth_newFilter', {})
    assert.match((await rejection(world.call('eth_newBlockFilter'))).message, /^too many filters: at most 2/)
    await world.clock.advance(5 * 60_000)
    assert.match(await world.call('eth_newBlockFilter'), /^0x[0-9a-f]{32}$/)
  })
})

function pick(error: RpcError): [number, string] {
  return [error.number, error.message]
}

async function mineLog(world: ExecutionWorld, nonce: bigint): Promise<Hash> {
  return (await world.mine({ transactions: [logTransaction(world, 0, nonce).raw], noTxPool: true })).hash
}

async function seen(world: ExecutionWorld, filter: unknown): Promise<unknown[]> {
  const changes = await world.call('eth_getFilterChanges', filter)
  return changes.map((log: { blockHash: string; removed: boolean }) => [log.blockHash, log.removed])
}
