import assert from 'node:assert/strict'
import { type Address, type Block, bytesToHex, type Hash, ZERO_ADDRESS } from '@keelson/primitives'
import { createManualClock, createMetrics, createSilentLogger } from '@keelson/runtime'
import { describeCorsPort, PAGE_ORIGIN } from '../../../../../test/support/cors-cases.ts'
import { describeHttpPort } from '../../../../../test/support/http-cases.ts'
import {
  EMITTER,
  EMITTER_OF_FOUR,
  type IndexedWorld,
  openIndexedWorld,
  openTestIndex,
  type TestIndex,
  transfer20,
  transfer721,
} from '../../../../../test/support/index/index-world.ts'
import { createLiveState } from '../chain/live-state.ts'
import type { Database } from '../storage/database.ts'
import { openMemoryPglite } from '../storage/open-pglite.ts'
import { createCompilers } from '../verify/compilers/compilers.ts'
import { createProjectContracts } from '../verify/project-contracts.ts'
import { createIndexHttp, type IndexHttp } from './index-http.ts'

const NOWHERE = `0x${'ee'.repeat(20)}`

describe('the HTTP API of the index', () => {
  let world: IndexedWorld
  let db: Database
  let index: TestIndex
  let http: IndexHttp
  let url: string
  let blocks: readonly Block[]
  const clock = createManualClock(0)
  const address = (i: number) => world.execution.accounts[i]?.address as Address
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, picked apart by the test
  const get = async (path: string): Promise<{ status: number; body: any }> => {
    const response = await http.app.inject({ method: 'GET', url: path, remoteAddress: '192.0.2.1' })
    return { status: response.statusCode, body: response.json() }
  }
  const found = async (path: string) => {
    const { status, body } = await get(path)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const serve = (rate: { perSec: number; burst: number }) =>
    createIndexHttp(
      { host: '127.0.0.1', port: 0, virtualHosts: [], corsOrigins: [PAGE_ORIGIN], rate, trusted: [], proxies: [] },
      {
        database: db,
        live: createLiveState(world.rpc),
        projectContracts: createProjectContracts([]),
        compilers: createCompilers({ folder: '', published: [] }, { clock, log: createSilentLogger() }),
        follower: index.follower,
        l1: null,
        chainId: world.execution.chainId,
        clock,
        log: createSilentLogger(),
        metrics: createMetrics('index'),
      },
    )
  before(async () => {
    db = await openMemoryPglite()
    world = await openIndexedWorld()
    index = await openTestIndex(world, db)
    blocks = [
      await world.mine([{ from: 0, to: address(1), valueWei: 7n }]),
      await world.mine([{ from: 0, to: null, data: '0x5f5ff3' }]),
      await world.mine([
        transfer20(0, ZERO_ADDRESS, address(2), 100n),
        transfer20(1, address(2), address(3), 30n),
        transfer20(1, address(2), address(4), 30n),
        transfer721(2, ZERO_ADDRESS, address(3), 9n),
      ]),
    ]
    await index.follower.step()
    http = serve({ perSec: 1_000, burst: 1_000 })
    url = await http.app.listen({ host: '127.0.0.1', port: 0 })
  })
  after(async () => {
    await http.app.close()
    await world.stop()
    await db.close()
  })
  describeHttpPort('index', 'reads', () => ({ port: Number(new URL(url).port), method: 'GET', path: '/health' }))
  describeCorsPort('index', () => `${url}/health`)

  const sent = (block: number, i: number) => blocks[block]?.transactions[i]?.hash as Hash

  it('gives a browser a page, and a program the list of paths', async () => {
    const page = await http.app.inject({ method: 'GET', url: '/', headers: { accept: 'text/html' } })
    assert.deepEqual([page.statusCode, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.match(page.body, /index of the chain.*port 8080/)
    assert.ok((await found('/')).paths.includes('/api/blocks'))
  })

  it('lists blocks and transactions from the newest, page by page without gaps', async () => {
    const walk = async (path: string, keyOf: (item: Record<string, unknown>) => unknown) => {
      const keys: unknown[] = []
      for (let next: string | null = ''; next !== null; ) {
        const page: { items: Record<string, unknown>[]; next: string | null } = await found(
          `${path}${path.includes('?') ? '&' : '?'}limit=2${next && `&before=${next}`}`,
        )
        assert.ok(page.items.length <= 2)
        keys.push(...page.items.map(keyOf))
        next = page.next
      }
      return keys
    }
    assert.deepEqual(await walk('/api/blocks', ({ number }) => number), [3, 2, 1, 0])
    const all = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)).reverse()
    assert.deepEqual(await walk('/api/transactions', ({ hash }) => hash), all)
    const byPeople = blocks.flatMap(({ transactions }) => transactions.slice(1).map(({ hash }) => hash)).reverse()
    assert.deepEqual(await walk('/api/transactions?show=sent', ({ hash }) => hash), byPeople, 'without the L1 information of each block')
    assert.deepEqual(await walk('/api/blocks/3/transactions', ({ hash }) => hash), all.slice(0, 5))
    assert.deepEqual(await walk(`/api/tokens/${EMITTER}/holders`, (item) => `${item.address} ${item.balance}`), [
      ...[`${address(2)} 40`, ...[address(3), address(4)].sort().map((holder) => `${holder} 30`)],
    ])
    assert.deepEqual(await walk(`/api/tokens/${EMITTER}/transfers`, ({ amount }) => amount), ['30', '30', '100'])
    assert.deepEqual(await walk(`/api/addresses/${address(2)}/token-transfers`, ({ amount }) => amount), ['30', '30', '100'])
    assert.deepEqual(await walk(`/api/transactions/${sent(2, 1)}/logs`, ({ position }) => position), [0])
  })

  it('answers a block by number and hash, and a transaction as its receipt says', async () => {
    const byNumber = await found('/api/blocks/1')
    assert.deepEqual(byNumber, await found(`/api/blocks/${blocks[0]?.hash}`))
    assert.deepEqual([byNumber.hash, byNumber.parentHash, byNumber.transactions], [blocks[0]?.hash, blocks[0]?.header.parentHash, 2])
    const transaction = await found(`/api/transactions/${sent(0, 1)}`)
    const receipt = await world.execution.call('eth_getTransactionReceipt', sent(0, 1))
    assert.deepEqual([transaction.from, transaction.to, transaction.value, transaction.succeeded], [address(0), address(1), '7', true])
    assert.deepEqual([transaction.gasUsed, transaction.l1Fee], [BigInt(receipt.gasUsed).toString(), BigInt(receipt.l1Fee).toString()])
    assert.equal((await found(`/api/transactions/${sent(0, 0)}`)).deposit.isSystem, false)
  })

  it('shows what an address is and did', async () => {
    const { created } = (await found(`/api/transactions/${sent(1, 1)}`)) as { created: string }
    const contract = await found(`/api/addresses/${created}`)
    assert.deepEqual([contract.created.transaction, contract.created.creator, contract.nonce], [sent(1, 1), address(0), '1'])
    const account = await found(`/api/addresses/${address(1)}`)
    assert.deepEqual([account.nonce, account.codeBytes, account.created, account.token], ['2', 0, null, null])
    const balance = await world.execution.call('eth_getBalance', address(1), 'latest')
    assert.equal(account.balance, BigInt(balance).toString())
    const { items } = await found(`/api/addresses/${address(3)}/transactions`)
    assert.deepEqual(
      items.map((item: { hash: string; roles: string[] }) => [item.hash, item.roles]),
      [
        [sent(2, 4), ['tokenRecipient']],
        [sent(2, 2), ['tokenRecipient']],
      ],
    )
    const held = await found(`/api/addresses/${address(3)}/tokens`)
    assert.deepEqual(
      held.items.map((item: { token: { address: string; kind: string }; balance: string }) => [
        item.token.address,
        item.token.kind,
        item.balance,
      ]),
      [
        [EMITTER, 'ERC-20', '30'],
        [EMITTER_OF_FOUR, 'ERC-721', '1'],
      ],
    )
    assert.deepEqual(await found(`/api/addresses/${NOWHERE}/transactions`), { items: [], next: null })
  })

  it('finds blocks, transactions, addresses and tokens', async () => {
    const kinds = async (q: string) =>
      (await found(`/api/search?q=${encodeURIComponent(q)}`)).items.map(({ kind }: { kind: string }) => kind)
    await index.store.describeToken(EMITTER, { name: '100% Gold_', symbol: 'GLD', decimals: 2 })
    assert.deepEqual(await kinds('2'), ['block'])
    assert.deepEqual(await kinds(blocks[1]?.hash as string), ['block'])
    assert.deepEqual(await kinds(sent(0, 1)), ['transaction'])
    assert.deepEqual(await kinds(EMITTER), ['token', 'address'])
    assert.deepEqual(await kinds('gl'), ['token'])
    assert.deepEqual(await kinds('100% G'), ['token'])
    assert.deepEqual(await kinds('%'), [])
    assert.deepEqual(await kinds("'; drop table blocks; --"), [])
    const token = await found(`/api/tokens/${EMITTER}`)
    assert.deepEqual([token.name, token.decimals, token.holders, token.totalSupply], ['100% Gold_', 2, 3, null])
  })

  it('adds up transactions, gas and fees', async () => {
    const { totals, points } = await found('/api/stats?interval=day&points=7')
    const headers = blocks.map(({ header }) => header.gasUsed)
    assert.equal(totals.gasUsed, headers.reduce((sum, gas) => sum + gas, 0n).toString())
    assert.deepEqual([totals.blocks, totals.transactions, points.length], [4, 9, 1])
  })

  it('reports the head and how far the index is', async () => {
    const { head, indexed, lagBlocks, writes } = await found('/api/status')
    assert.deepEqual([head.hash, indexed.hash, lagBlocks, writes], [blocks[2]?.hash, blocks[2]?.hash, 0, true])
    assert.equal((await found('/')).name, 'Keelson index')
  })

  it('refuses malformed requests with what it expects, and does not find what is not there', async () => {
    for (const [path, status] of [
      ['/api/blocks/latest', 400],
      ['/api/blocks/-1', 400],
      ['/api/blocks?limit=51', 400],
      ['/api/blocks?limit=0', 400],
      ['/api/blocks?before=1-2', 400],
      ['/api/blocks?before=1&before=2', 400],
      [`/api/tokens/${EMITTER}/holders?before=1e9-${EMITTER.slice(2)}`, 400],
      ['/api/transactions?before=1-2147483648', 400],
      ['/api/transactions?show=', 400],
      ['/api/transactions/0x12', 400],
      [`/api/addresses/${NOWHERE}0`, 400],
      ['/api/search', 400],
      [`/api/search?q=${'a'.repeat(101)}`, 400],
      ['/api/search?q=%00', 400],
      ['/api/stats?interval=year', 400],
      ['/api/blocks/4', 404],
      [`/api/transactions/${bytesToHex(new Uint8Array(32))}`, 404],
      [`/api/tokens/${NOWHERE}`, 404],
      ['/api/nothing', 404],
    ] as const) {
      const { status: got, body } = await get(path)
      assert.deepEqual([path, got, Object.keys(body)], [path, status, ['error', 'message', 'expected']])
    }
    const posted = await http.app.inject({ method: 'POST', url: '/api/blocks' })
    assert.deepEqual([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD, OPTIONS'])
  })

  it('limits requests by caller', async () => {
    const limited = serve({ perSec: 1, burst: 2 })
    const codes: number[] = []
    for (let i = 0; i < 3; i++) codes.push((await limited.app.inject({ url: '/api/blocks', remoteAddress: '192.0.2.7' })).statusCode)
    assert.deepEqual(codes, [200, 200, 429])
    await limited.app.close()
  })
})
