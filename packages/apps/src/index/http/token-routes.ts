/** Tokens, who holds them, and what an address holds. Balances are those that the contracts answer now. */
import type { Address } from '@keelson/primitives'
import type { FastifyInstance } from 'fastify'
import type { LiveState } from '../chain/live-state.ts'
import type { HeldToken } from '../chain/token-calls.ts'
import type { Listed } from '../queries/page.ts'
import * as tokens from '../queries/token-queries.ts'
import type { Database } from '../storage/database.ts'
import { answerTo, type RouteGuard } from './answer.ts'
import { readAddress, readPage, TRANSFER_KEY } from './read-params.ts'

export interface TokenRoutesDependencies {
  readonly database: Database
  readonly live: LiveState
}

export function addTokenRoutes(app: FastifyInstance, { database: sql, live }: TokenRoutesDependencies, guard: RouteGuard): void {
  const route = answerTo(app, guard)
  route('/api/tokens', ({ query }) => tokens.listTokens(sql, readPage(query, ['number', 'address'])))
  route('/api/tokens/:address', async ({ params }) => {
    const address = readAddress(params.address)
    const token = await tokens.findToken(sql, address)
    const [supply, holders] = await Promise.all([live.totalSupply(address), tokens.countHolders(sql, address)])
    const facts = { totalSupply: supply?.toString() ?? null, holders: holders.count, hasMoreHolders: holders.isMore }
    return token === null ? unseenToken(live, address, facts) : { ...token, ...facts }
  })
  route('/api/tokens/:address/holders', async ({ params, query }) => {
    const token = readAddress(params.address)
    const page = await tokens.listHolders(sql, token, readPage(query, ['balance', 'address']))
    const kind = (await tokens.findToken(sql, token))?.kind
    return withLiveBalances(live, page, ({ address }) => (kind === MANY_KINDS ? null : { token, holder: address }))
  })
  route('/api/tokens/:address/transfers', ({ params, query }) =>
    tokens.listTokenTransfers(sql, readAddress(params.address), readPage(query, TRANSFER_KEY)),
  )
  route('/api/addresses/:address/tokens', async ({ params, query }) => {
    const holder = readAddress(params.address)
    const page = await tokens.listAddressTokens(sql, holder, readPage(query, ['address']))
    return withLiveBalances(live, page, ({ token }) => (token.kind === MANY_KINDS ? null : { token: token.address as Address, holder }))
  })
}

/** Its balances belong to ids, so one call does not give them. */
const MANY_KINDS = 'ERC-1155'

interface Held {
  readonly balance: string
  readonly source: 'contract' | 'events'
}

/** A rebase moves balances without an event, so each page asks the contracts. Rows that hold nothing now are left out. */
async function withLiveBalances<T extends Held>(
  live: LiveState,
  page: Listed<T>,
  pairOf: (item: T) => HeldToken | null,
): Promise<Listed<T>> {
  const pairs = page.items.map(pairOf)
  const balances = await live.balances(pairs.filter((pair) => pair !== null))
  let at = 0
  const items = page.items.map((item, i) => {
    const balance = pairs[i] === null ? null : (balances[at++] ?? null)
    return balance === null ? item : { ...item, balance: balance.toString(), source: 'contract' as const }
  })
  return { items: items.filter(({ balance }) => balance !== '0'), next: page.next }
}

/** A token that no indexed event names. */
async function unseenToken(live: LiveState, address: Address, facts: object) {
  const said = await live.token(address)
  if (said === null) return null
  return { address, kind: `ERC-${said.kind}`, name: said.name, symbol: said.symbol, decimals: said.decimals, firstBlock: null, ...facts }
}
