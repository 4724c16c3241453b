import { type Clock, hexToBytes } from '@keelson/primitives'
import { asksForPage, renderPortPage } from '@keelson/runtime'
import type { FastifyInstance } from 'fastify'
import type { LiveState } from '../chain/live-state.ts'
import type { Follower } from '../follow/follower.ts'
import type { TransactionSelection } from '../queries/chain-queries.ts'
import * as chain from '../queries/chain-queries.ts'
import * as l1 from '../queries/l1-queries.ts'
import { search } from '../queries/search.ts'
import { readStats, type StatsInterval } from '../queries/stats.ts'
import * as tokens from '../queries/token-queries.ts'
import type { Database } from '../storage/database.ts'
import { answerTo, type RouteGuard } from './answer.ts'
import { readAddress, readBlock, readChoice, readHash, readInteger, readPage, readText, TRANSFER_KEY } from './read-params.ts'
import { addTokenRoutes } from './token-routes.ts'

export interface RoutesDependencies {
  readonly database: Database
  readonly live: LiveState
  readonly follower: Pick<Follower, 'head' | 'cursor' | 'writing' | 'trouble'>
  /** Null when L1 is not indexed. */
  readonly l1: Pick<Follower, 'head' | 'cursor' | 'trouble'> | null
  readonly chainId: bigint
  readonly clock: Clock
}

const TRANSACTION_KEY = ['number', 'position'] as const
const MAX_SEARCH_LENGTH = 100
const MAX_POINTS = 200
const DEFAULT_POINTS = 24

export const DESCRIPTION = {
  name: 'Keelson index',
  what: 'Blocks, transactions, addresses and tokens of the rollup, as JSON.',
  paths: [
    '/api/status',
    '/api/blocks',
    '/api/blocks/{number or hash}',
    '/api/blocks/{number}/transactions',
    '/api/blocks/{number}/l1',
    '/api/transactions?show=all|sent',
    '/api/transactions/{hash}',
    '/api/transactions/{hash}/logs',
    '/api/transactions/{hash}/token-transfers',
    '/api/addresses/{address}',
    '/api/addresses/{address}/transactions',
    '/api/addresses/{address}/token-transfers',
    '/api/addresses/{address}/tokens',
    '/api/addresses/{address}/deposits',
    '/api/addresses/{address}/withdrawals',
    '/api/contracts/{address}',
    '/api/contracts/{address}/abi',
    'POST /api/contracts/{address}/verify',
    '/api/verification',
    '/api?module=contract&action=',
    '/sourcify/v2/contract/{chain}/{address}',
    'POST /sourcify/v2/verify/{chain}/{address}',
    '/api/tokens',
    '/api/tokens/{address}',
    '/api/tokens/{address}/holders',
    '/api/tokens/{address}/transfers',
    '/api/l1/batches',
    '/api/l1/batches/{L1 transaction}',
    '/api/search?q=',
    '/api/stats?interval=hour|day&points=',
  ],
  lists: 'Lists take limit (1 to 50) and before, the "next" of the page before.',
  documentation: 'packages/apps/README.md',
}

const PAGE = {
  title: 'Keelson: the index of the chain',
  lines: [
    'This port answers programs with histories of blocks, addresses, tokens and contracts. For people there is an explorer, on port 8080 unless the operator moved it.',
    'A program that asks for / receives the list of all paths.',
  ],
  paths: ['/health', '/api/stats', '/api/verification'],
}

export function addRoutes(app: FastifyInstance, deps: RoutesDependencies, guard: RouteGuard): void {
  const { database: sql } = deps
  const route = answerTo(app, guard)
  app.get('/', async (request, reply) => {
    if (!asksForPage(request.raw)) return DESCRIPTION
    const { headers, body } = renderPortPage(PAGE)
    return reply.headers(headers).send(body)
  })
  app.get('/health', async (_, reply) => {
    const trouble = deps.follower.trouble()
    return reply.code(trouble === null ? 200 : 503).send({ ok: trouble === null, reason: trouble })
  })
  route('/api/status', () => status(deps))
  route('/api/blocks', ({ query }) => chain.listBlocks(sql, readPage(query, ['number'])))
  route('/api/blocks/:block', ({ params }) => chain.findBlock(sql, readBlock(params.block)))
  route('/api/blocks/:block/transactions', async ({ params, query }) => {
    const page = readPage(query, ['position'])
    const block = await chain.findBlock(sql, readBlock(params.block))
    return block === null ? null : chain.listBlockTransactions(sql, block.number, page)
  })
  route('/api/blocks/:block/l1', async ({ params }) => {
    const block = await chain.findBlock(sql, readBlock(params.block))
    return block === null ? null : l1.findCarriers(sql, block.number)
  })
  route('/api/l1/batches', ({ query }) => l1.listBatches(sql, readPage(query, TRANSACTION_KEY)))
  route('/api/l1/batches/:hash', ({ params }) => l1.findBatch(sql, readHash(params.hash)))
  route('/api/transactions', ({ query }) =>
    chain.listTransactions(sql, readPage(query, TRANSACTION_KEY), readChoice<TransactionSelection>(query, 'show', ['all', 'sent'])),
  )
  route('/api/transactions/:hash', ({ params }) => chain.findTransaction(sql, readHash(params.hash)))
  route('/api/transactions/:hash/logs', ({ params, query }) =>
    chain.listTransactionLogs(sql, readHash(params.hash), readPage(query, ['position'])),
  )
  route('/api/transactions/:hash/token-transfers', ({ params, query }) =>
    tokens.listTransactionTransfers(sql, readHash(params.hash), readPage(query, ['position', 'position'])),
  )
  addAddressRoutes(app, deps, guard)
  addTokenRoutes(app, deps, guard)
  route('/api/search', async ({ query }) => ({ items: await search(sql, readText(query, 'q', MAX_SEARCH_LENGTH)) }))
  route('/api/stats', ({ query }) => {
    const interval = readChoice<StatsInterval>(query, 'interval', ['hour', 'day'])
    return readStats(sql, interval, readInteger(query, 'points', { from: 1, to: MAX_POINTS, otherwise: DEFAULT_POINTS }))
  })
}

function addAddressRoutes(app: FastifyInstance, { database: sql, live }: RoutesDependencies, guard: RouteGuard): void {
  const route = answerTo(app, guard)
  route('/api/addresses/:address', async ({ params }) => {
    const address = readAddress(params.address)
    const [state, creation, token] = await Promise.all([
      live.account(address),
      chain.findCreation(sql, hexToBytes(address)),
      tokens.findToken(sql, address),
    ])
    return {
      address,
      balance: state.balanceWei.toString(),
      nonce: state.nonce.toString(),
      codeBytes: state.codeBytes,
      codeHash: state.codeHash,
      created: creation,
      token,
    }
  })
  route('/api/addresses/:address/transactions', ({ params, query }) =>
    chain.listAddressTransactions(sql, hexToBytes(readAddress(params.address)), readPage(query, TRANSACTION_KEY)),
  )
  route('/api/addresses/:address/token-transfers', ({ params, query }) =>
    tokens.listAddressTransfers(sql, readAddress(params.address), readPage(query, TRANSFER_KEY)),
  )
  route('/api/addresses/:address/deposits', ({ params, query }) =>
    l1.listDeposits(sql, readAddress(params.address), readPage(query, TRANSACTION_KEY)),
  )
  route('/api/addresses/:address/withdrawals', ({ params, query }) =>
    l1.listWithdrawals(sql, readAddress(params.address), readPage(query, TRANSACTION_KEY)),
  )
}

async function status({ database, follower, l1, chainId }: RoutesDependencies) {
  const { head, cursor, writing } = follower
  const trouble = follower.trouble()
  return {
    chainId: chainId.toString(),
    ok: trouble === null,
    reason: trouble,
    head,
    indexed: cursor,
    lagBlocks: head === null ? null : Math.max(0, head.number - (cursor?.number ?? 0)),
    writes: writing,
    l1: l1 === null ? null : { head: l1.head, indexed: l1.cursor, reason: l1.trouble() },
    database: database.engine,
  }
}
