/** Reads names of new tokens beside the index, so that a hostile token cannot hold it up. */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import { createPoller, type Service } from '@keelson/runtime'
import type { IndexedChain } from '../chain/ports.ts'
import type { BlockStore } from '../storage/block-store.ts'

export interface TokenDescriberDependencies {
  readonly chain: Pick<IndexedChain, 'describeToken'>
  readonly store: Pick<BlockStore, 'undescribedTokens' | 'describeToken'>
  readonly isWriting: () => boolean
  readonly clock: Clock
  readonly log: Logger
}

export interface TokenDescriber extends Service {
  step(): Promise<number>
}

const TOKENS_PER_STEP = 20
const INTERVAL_MS = 2_000
const BACKOFF = { firstMs: 2_000, longestMs: 60_000 }

export function createTokenDescriber({ chain, store, isWriting, clock, log }: TokenDescriberDependencies): TokenDescriber {
  const step = async () => {
    if (!isWriting()) return INTERVAL_MS
    const tokens = await store.undescribedTokens(TOKENS_PER_STEP)
    for (const token of tokens) await store.describeToken(token, await chain.describeToken(token))
    return tokens.length === TOKENS_PER_STEP ? 0 : INTERVAL_MS
  }
  const poller = createPoller(step, {
    clock,
    intervalMs: INTERVAL_MS,
    backoff: BACKOFF,
    onError: (error) => log.debug('names of tokens cannot be read, retrying', { error: messageOf(error) }),
  })
  return { name: 'token names', step, failure: poller.failure, start: async () => poller.start(), stop: () => poller.stop() }
}
