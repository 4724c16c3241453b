import assert from 'node:assert/strict'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { createManualClock, createSeededRandom, createSilentLogger } from '@keelson/runtime'
import { getIntrospectionQuery } from 'graphql'
import { parseEther } from 'viem'
import { createAnalyticsExecutions } from '../../packages/devnet/src/stand-ins/analytics-executions.ts'
import { STORED_QUERIES } from '../../packages/devnet/src/stand-ins/analytics-queries.ts'
import { readChainFacts } from '../../packages/devnet/src/stand-ins/chain-facts.ts'
import { createSubgraph } from '../../packages/devnet/src/stand-ins/subgraph.ts'
import { createSwapHistory, type SwapHistory } from '../../packages/devnet/src/stand-ins/swap-history.ts'
import { createPlatformWorld, type PlatformWorld } from '../support/platform-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a client sees
type Data = any

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

describe("the development network's stand-ins", () => {
  let devnet: PlatformWorld
  let history: SwapHistory
  before(async () => {
    devnet = await createPlatformWorld()
    history = createSwapHistory(devnet.chains.main)
    for (const value of ['1', '2', '3']) await devnet.buyDollars(parseEther(value))
  })
  after(() => devnet.stop())
  const graph = async (query: string, variables?: Record<string, unknown>) =>
    createSubgraph(devnet.chains.main, history)({ query, variables })
  const data = async (query: string, variables?: Record<string, unknown>): Promise<Data> => {
    const answer = await graph(query, variables)
    assert.equal(answer.errors, undefined, JSON.stringify(answer.errors))
    return JSON.parse(JSON.stringify(answer.data))
  }
  const trouble = async (query: string, variables?: Record<string, unknown>) =>
    ((await graph(query, variables)).errors ?? []).map(({ message }) => message).join('; ')

  describe('as a subgraph', () => {
    it('list swaps with their value, newest first or by value, by pool and by page', async () => {
      const { swaps } = await data(
        '{ swaps { blockNumber amount0In amount1In amountUSD to pool { token0 { symbol } token1 { symbol } } } }',
      )
      assert.equal(swaps.length, 3)
      const [newest] = swaps
      assert.ok(newest.blockNumber > swaps[1].blockNumber && swaps[1].blockNumber > swaps[2].blockNumber)
      const paid = newest.pool.token0.symbol === 'WETH' ? newest.amount0In : newest.amount1In
      assert.deepEqual([paid, newest.amountUSD, newest.to], ['3', '7500', devnet.trader])
      const ordered = await data('{ swaps(orderBy: amountUSD, orderDirection: asc, first: 2, skip: 1) { amountUSD } }')
      assert.deepEqual(ordered.swaps, [{ amountUSD: '5000' }, { amountUSD: '7500' }])
      const none = await data('query($p: ID) { swaps(where: { pool: $p }) { id } }', { p: LIQUIDITY_CONTRACTS.TestDollar })
      assert.deepEqual(none.swaps, [])
    })

    it('list pools with their reserves, the most valuable first, and the swaps of each', async () => {
      const { pools } = await data('{ pools { id tvlUSD feeBps token0 { symbol } token1 { symbol } swaps(first: 2) { amountUSD } } }')
      const states = await devnet.chains.main.pools()
      assert.deepEqual(pools.map(({ id }: Data) => id).sort(), states.map(({ address }) => address as string).sort())
      const values = pools.map(({ tvlUSD }: Data) => Number(tvlUSD))
      assert.deepEqual(
        values,
        [...values].sort((a, b) => b - a),
      )
      const [used, ...unused] = [...pools].sort((a, b) => b.swaps.length - a.swaps.length)
      assert.deepEqual(used.swaps, [{ amountUSD: '7500' }, { amountUSD: '5000' }])
      assert.ok(unused.every(({ swaps }: Data) => swaps.length === 0))
      const { pool } = await data('query($id: ID!) { pool(id: $id) { id } }', { id: used.id.toUpperCase().replace('0X', '0x') })
      assert.deepEqual(pool, { id: used.id })
    })

    it('list tokens, blocks and accounts', async () => {
      const answer = await data(
        `query($weth: ID!, $trader: ID!) {
          _meta { block { number } swapsFromBlock hasIndexingErrors }
          token(id: $weth) { symbol decimals priceUSD }
          tokens { symbol }
          blocks(first: 2) { number id }
          block(number: 0) { number timestamp }
          none: block(number: 1000000) { id }
          account(id: $trader) { balance tokens { token { symbol } balance } }
        }`,
        { weth: PREDEPLOYS.WETH, trader: devnet.trader },
      )
      const head = await devnet.chains.main.latest()
      assert.deepEqual(answer._meta, { block: { number: head.number }, swapsFromBlock: 0, hasIndexingErrors: false })
      assert.deepEqual(answer.token, { symbol: 'WETH', decimals: 18, priceUSD: '2500' })
      assert.deepEqual(
        answer.blocks.map(({ number }: Data) => number),
        [head.number, head.number - 1],
      )
      assert.equal(answer.blocks[0].id, head.hash)
      assert.deepEqual([answer.block.number, answer.none], [0, null])
      assert.equal(answer.account.tokens.find(({ token }: Data) => token.symbol === 'testBTC').balance, '5')
    })

    it('index new swaps', async () => {
      const before = await data('{ swaps(first: 1) { transaction amountUSD } }')
      const hash = await devnet.buyDollars(parseEther('0.5'))
      const { swaps } = await data('{ swaps(first: 2) { transaction amountUSD } }')
      assert.deepEqual(swaps, [{ transaction: hash, amountUSD: '1250' }, before.swaps[0]])
    })

    it('answer introspection, and refuse queries that are too large', async () => {
      const { __schema } = await data(getIntrospectionQuery())
      assert.ok(__schema.types.some(({ name }: Data) => name === 'Swap'))
      const nested = '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }'
      assert.match(await trouble(nested), /introspection depth/i)
      assert.match(await trouble('{ swaps(first: 101) { id } }'), /first from 1 to 100, got 101/)
      assert.match(await trouble('{ swaps(first: -1) { id } }'), /got -1/)
      assert.match(await trouble('{ blocks(skip: 20000) { id } }'), /skip from 0 to 10000/)
      assert.match(await trouble('{ account(id: "me") { balance } }'), /expected an address/)
      assert.deepEqual(Object.keys(await graph('{ nonsense }')), ['errors'])
      assert.match(await trouble('{ nonsense }'), /Cannot query field/)
      assert.match(await trouble('mutation { burn }'), /got a mutation/)
      assert.match(await trouble('query($n: Int!) { block(number: $n) { id } }'), /\$n.*required/)
      const many = Array.from({ length: 50 }, (_, i) => `a${i}: pools { swaps { pool { swaps { pool { swaps { id } } } } } }`).join(' ')
      assert.match(await trouble(`{ ${many} }`), /at most 500 entries in all/)
    })

    it('report that the chain is unavailable', async () => {
      const gone = devnet.open([{ ...devnet.config, rpcUrl: 'http://127.0.0.1:1' }])
      const { data: none, errors } = await createSubgraph(gone.main, createSwapHistory(gone.main))({ query: '{ pools { id } }' })
      gone.close()
      assert.equal(none, null)
      assert.match(errors?.[0]?.message ?? '', /127\.0\.0\.1:1/)
    })
  })

  describe('as an analytics service', () => {
    const open = () => {
      const clock = createManualClock()
      const executions = createAnalyticsExecutions({
        queries: STORED_QUERIES,
        readFacts: () => readChainFacts(devnet.chains.main, history),
        clock,
        random: createSeededRandom(1),
        log: createSilentLogger(),
      })
      return { clock, executions }
    }
    const rows = async (queryId: number, params: unknown = {}): Promise<Data[]> => {
      const { executions } = open()
      const started = executions.start(queryId, params)
      assert.ok(started.ok)
      assert.equal(started.value.state, 'QUERY_STATE_PENDING')
      const { id } = started.value
      await until(() => executions.find(id)?.state === 'QUERY_STATE_COMPLETED')
      return [...(executions.find(id)?.rows ?? [])]
    }

    it('count swaps and volume of each pool', async () => {
      const found = await rows(1)
      assert.equal(found.length, (await devnet.chains.main.pools()).length)
      const used = found.filter(({ swaps }) => swaps > 0)
      assert.deepEqual(
        used.map(({ swaps, volume_usd }) => [swaps, volume_usd]),
        [[4, '16250']],
      )
      assert.ok(found.every(({ swaps, volume_usd }) => swaps > 0 || volume_usd === '0'))
      const newest = await rows(1, { blocks: '1' })
      assert.equal(Math.max(...newest.map(({ swaps }) => swaps)), 1)
    })

    it('list blocks with their gas, and the accounts that received most', async () => {
      const head = await devnet.chains.main.latest()
      const [newest] = await rows(2, { limit: 3 })
      assert.deepEqual([newest.number, newest.gas_used, newest.gas_limit], [head.number, String(head.gasUsed), String(head.gasLimit)])
      assert.deepEqual(await rows(3), [{ account: devnet.trader, swaps: 4, volume_usd: '16250' }])
    })

    it('refuse unknown queries, report why one failed, and drop results after ten minutes', async () => {
      const { executions, clock } = open()
      const reasonOf = (outcome: { readonly ok: boolean; readonly reason?: string }) => outcome.reason
      assert.equal(reasonOf(executions.start(99, {})), 'not-found')
      for (const params of [{ blocks: 0 }, { blocks: 'all' }, { other: 1 }]) assert.equal(reasonOf(executions.start(1, params)), 'invalid')
      assert.equal(executions.find('none'), null)

      const started = executions.start(2, {})
      assert.ok(started.ok)
      const stateOf = () => executions.find(started.value.id)?.state
      await until(() => stateOf() === 'QUERY_STATE_COMPLETED')
      await clock.advance(600_000)
      assert.deepEqual([stateOf(), executions.find(started.value.id)?.rows], ['QUERY_STATE_EXPIRED', null])

      const gone = devnet.open([{ ...devnet.config, rpcUrl: 'http://127.0.0.1:1' }])
      const failing = createAnalyticsExecutions({
        queries: STORED_QUERIES,
        readFacts: () => readChainFacts(gone.main, createSwapHistory(gone.main)),
        clock,
        random: createSeededRandom(2),
        log: createSilentLogger(),
      })
      const failed = failing.start(2, {})
      assert.ok(failed.ok)
      await until(() => failing.find(failed.value.id)?.state === 'QUERY_STATE_FAILED')
      assert.match(failing.find(failed.value.id)?.failure ?? '', /127\.0\.0\.1:1/)
      gone.close()
    })

    it('accept a hundred queries, run two at a time, and refuse more', async () => {
      const { executions } = open()
      const started = Array.from({ length: 100 }, () => executions.start(2, { limit: 1 }))
      assert.ok(started.every(({ ok }) => ok))
      const over = executions.start(2, {})
      assert.ok(!over.ok && over.reason === 'limit')
      const states = () => started.map((one) => (one.ok ? executions.find(one.value.id)?.state : null))
      assert.ok(states().filter((state) => state === 'QUERY_STATE_EXECUTING').length <= 2)
      await until(() => states().every((state) => state === 'QUERY_STATE_COMPLETED'))
    })
  })
})
