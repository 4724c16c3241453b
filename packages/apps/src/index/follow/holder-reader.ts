/** Asks contracts for the balances that the index cannot know from events, beside the index, so that no token can hold it up. */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import { createPoller, type Service } from '@keelson/runtime'
import type { TokenCalls } from '../chain/token-calls.ts'
import type { HolderStore, Reading, UnreadHolding } from '../storage/holder-store.ts'
import type { GenesisTokens } from '../tokens/genesis-tokens.ts'

export interface HolderReaderDependencies {
  readonly calls: TokenCalls
  readonly store: HolderStore
  /** Reads the first state; null when no file holds it or it is too large. */
  readonly genesisTokens: () => GenesisTokens | null
  readonly genesisBlock: number
  readonly isWriting: () => boolean
  readonly clock: Clock
  readonly log: Logger
}

export interface HolderReader extends Service {
  step(): Promise<number>
}

const CANDIDATES_PER_STEP = 20
const PAIRS_PER_STEP = 200
const MAX_IDS = 50
const INTERVAL_MS = 1_000
const BACKOFF = { firstMs: 2_000, longestMs: 60_000 }
const NONE: GenesisTokens = { tokens: [], holders: [] }

export function createHolderReader(deps: HolderReaderDependencies): HolderReader {
  const { calls, store, clock, log } = deps
  const step = async () => {
    if (!deps.isWriting()) return INTERVAL_MS
    if (await store.isGenesisUnread()) await store.addGenesis(deps.genesisTokens() ?? NONE, deps.genesisBlock)
    const candidates = await store.candidates(CANDIDATES_PER_STEP)
    for (const address of candidates) await store.settleCandidate(address, await calls.kindOf(address))
    const unread = await store.unread(PAIRS_PER_STEP)
    await store.settle(await read(unread))
    return candidates.length === CANDIDATES_PER_STEP || unread.length === PAIRS_PER_STEP ? 0 : INTERVAL_MS
  }
  const read = async (unread: readonly UnreadHolding[]): Promise<readonly Reading[]> => {
    const plain = unread.filter(({ kind }) => kind !== 1155)
    const balances = await calls.balances(plain)
    const readings: Reading[] = plain.map((holding, i) => ({ holding, balance: balances[i] ?? null }))
    for (const holding of unread.filter(({ kind }) => kind === 1155)) {
      const ids = await store.idsOf(holding, MAX_IDS)
      readings.push({ holding, balance: ids === null ? null : await calls.balanceOfIds(holding, ids) })
    }
    return readings
  }
  const poller = createPoller(step, {
    clock,
    intervalMs: INTERVAL_MS,
    backoff: BACKOFF,
    onError: (error) => log.debug('balances of tokens cannot be read, retrying', { error: messageOf(error) }),
  })
  return { name: 'token balances', step, failure: poller.failure, start: async () => poller.start(), stop: () => poller.stop() }
}
