/** Reads Chainlink price feeds and rejects unusable rounds. AggregatorV3Interface */
import type { Address, Clock } from '@keelson/primitives'
import { parseAbi } from 'viem'
import type { BlockMemo } from '../chain/block-memo.ts'
import type { BlockFacts } from '../chain/blocks.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import type { FeedConfig } from '../chain/chain-config.ts'
import { type Decimal, unitsToDecimal } from '../decimal.ts'
import { SourceError } from '../source-error.ts'

export interface FeedReading {
  readonly address: Address
  readonly description: string
  readonly base: string
  readonly quote: string
  readonly roundId: bigint
  /** Above zero. */
  readonly price: Decimal
  readonly updatedAtSec: number
  readonly ageSec: number
}

const FEED = parseAbi([
  'function decimals() view returns (uint8)',
  'function description() view returns (string)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])

/**
 * Reads all feeds at a block: a reading each, or the SourceError for its fault: a price of zero or less, an unfinished
 * round, one from the future, or one older than its `maxAgeSec` by the clock or the block. Throws SourceError when the
 * chain does not respond.
 */
export async function readFeeds(
  client: ChainClient,
  feeds: readonly FeedConfig[],
  block: BlockFacts,
  clock: Clock,
  memo: BlockMemo,
): Promise<readonly (FeedReading | SourceError)[]> {
  const functions = ['decimals', 'description', 'latestRoundData']
  const reads = feeds.flatMap(({ address }) => functions.map((functionName) => ({ address, abi: FEED, functionName })))
  // the answer is as of the block, its age as of now
  const answers = await memo.read(block, `feeds ${feeds.map(({ address }) => address)}`, () => client.readMany(reads, block.number))
  const nowSec = Math.max(block.timestampSec, Math.floor(clock.nowMs() / 1000))
  return feeds.map((feed, i) => judge(client.label, feed, answers.slice(3 * i, 3 * i + 3), block, nowSec))
}

function judge(label: string, feed: FeedConfig, answers: readonly unknown[], block: BlockFacts, nowSec: number): FeedReading | SourceError {
  const [decimals, description, round] = answers
  const name = `feed ${feed.base}/${feed.quote} at ${feed.address}`
  const refuse = (reason: 'bad-answer' | 'stale', why: string) => new SourceError(label, reason, `${name} ${why}`)
  if (typeof decimals !== 'number' || !Array.isArray(round)) return refuse('bad-answer', 'does not answer as a price feed')
  const [roundId, answer, , updatedAt] = round as unknown as readonly [bigint, bigint, bigint, bigint]
  if (answer <= 0n) return refuse('bad-answer', `states ${answer}, expected a price above zero`)
  if (updatedAt === 0n) return refuse('bad-answer', `has an unfinished round ${roundId}`)
  if (updatedAt > BigInt(block.timestampSec)) return refuse('bad-answer', `states a time after block ${block.number}`)
  const updatedAtSec = Number(updatedAt)
  const ageSec = nowSec - updatedAtSec
  if (ageSec > feed.maxAgeSec) return refuse('stale', `was updated ${ageSec} s ago, expected at most ${feed.maxAgeSec} s`)
  return {
    address: feed.address,
    description: typeof description === 'string' ? description.slice(0, 64) : '',
    base: feed.base,
    quote: feed.quote,
    roundId,
    price: unitsToDecimal(answer, decimals),
    updatedAtSec,
    ageSec,
  }
}
