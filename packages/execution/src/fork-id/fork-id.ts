/** EIP-2124, with the times of EIP-6122. */
import { crc32 } from 'node:zlib'
import { bytesToNumber, hexToBytes, numberToBytes, type RlpInput, type RlpItem, rlpBigint, rlpBytes, rlpList } from '@keelson/primitives'
import type { BlockPosition, ForkPoints } from '../chain-rules.ts'

export interface ForkId {
  /** CRC-32 of the genesis hash and of each fork passed. */
  readonly hash: number
  /** Block number or Unix seconds of the next known fork; 0 if there is none. A peer can state any 64 bits. */
  readonly next: bigint
}

/** One fork that a chain counts, with the fork hash from it on. */
export interface ForkStep {
  readonly at: number
  readonly by: 'number' | 'timestampSec'
  readonly hash: number
}

export interface ForkSteps {
  readonly genesisHash: number
  readonly steps: readonly ForkStep[]
}

export function forkSteps({ genesis, blocks, times, unsupportedTimeSec }: ForkPoints): ForkSteps {
  const genesisHash = crc32(hexToBytes(genesis))
  let hash = genesisHash
  const step = (at: number, by: ForkStep['by']): ForkStep => {
    hash = crc32(numberToBytes(at, 8), hash)
    return { at, by, hash }
  }
  return {
    genesisHash,
    steps: [
      ...blocks.map((number) => step(number, 'number')),
      ...times.map((timeSec) => step(timeSec, 'timestampSec')),
      ...(unsupportedTimeSec === undefined ? [] : [step(unsupportedTimeSec, 'timestampSec')]),
    ],
  }
}

/** The number of steps that `head` has passed. */
export function passedSteps({ steps }: ForkSteps, head: BlockPosition): number {
  const next = steps.findIndex(({ at, by }) => head[by] < at)
  return next < 0 ? steps.length : next
}

export function forkId(points: ForkPoints, head: BlockPosition): ForkId {
  const all = forkSteps(points)
  const passed = passedSteps(all, head)
  return { hash: all.steps[passed - 1]?.hash ?? all.genesisHash, next: BigInt(all.steps[passed]?.at ?? 0) }
}

/** For rlpEncode. */
export function forkIdToRlp({ hash, next }: ForkId): RlpInput {
  return [numberToBytes(hash, 4), next]
}

/** Accepts further items, which EIP-2124 reserves. Throws CodecError `codec/rlp`. */
export function forkIdFromRlp(item: RlpItem | undefined): ForkId {
  const [hash, next] = rlpList(item, 'fork id')
  return { hash: bytesToNumber(rlpBytes(hash, 'fork hash', 4)), next: rlpBigint(next, 'next fork', 8) }
}

export function forkIdText({ hash, next }: ForkId): string {
  return `${forkHashText(hash)}/${next}`
}

export function forkHashText(hash: number): string {
  return `0x${hash.toString(16).padStart(8, '0')}`
}
