import { bytesToHex, CodecError, type Hash, hexToBytes, rlpBigint, rlpBytes, rlpEncode, rlpList, toHash } from '@keelson/primitives'
import type { ForkFilter } from '../../fork-id/fork-filter.ts'
import { type ForkId, forkIdFromRlp, forkIdToRlp } from '../../fork-id/fork-id.ts'
import { rlpSmall } from '../bounded-rlp.ts'
import type { EthVersion } from './eth-messages.ts'

const MAX_STATUS_BYTES = 1_024
const MAX_RANGE_BYTES = 128

export interface BlockRange {
  readonly earliest: bigint
  readonly latest: bigint
  readonly latestHash: Hash
}

export interface LocalStatus {
  readonly networkId: bigint
  readonly genesis: Hash
  readonly forkId: ForkId
  /** Only eth/68 sends it: that of the whole chain, whose blocks after genesis have none. */
  readonly totalDifficulty: bigint
  readonly range: BlockRange
}

export interface RemoteStatus {
  readonly networkId: bigint
  readonly genesis: Hash
  readonly forkId: ForkId
  readonly head: Hash
  /** Null in eth/68. */
  readonly range: BlockRange | null
}

export function encodeStatus(version: EthVersion, { networkId, genesis, forkId, totalDifficulty, range }: LocalStatus): Uint8Array {
  const genesisBytes = hexToBytes(genesis)
  const head = hexToBytes(range.latestHash)
  const fork = forkIdToRlp(forkId)
  return version === 68
    ? rlpEncode([version, networkId, totalDifficulty, head, genesisBytes, fork])
    : rlpEncode([version, networkId, genesisBytes, fork, range.earliest, range.latest, head])
}

/** Throws CodecError. */
export function decodeStatus(version: EthVersion, payload: Uint8Array): RemoteStatus {
  const fields = rlpList(rlpSmall(payload, MAX_STATUS_BYTES, 'status'), 'status')
  const stated = rlpBigint(fields[0], 'eth version', 4)
  if (stated !== BigInt(version)) throw new CodecError('codec/rlp', `status of eth/${stated} in a session of eth/${version}`)
  const networkId = rlpBigint(fields[1], 'network id', 8)
  const hash = (index: number) => toHash(rlpBytes(fields[index], 'status hash', 32))
  if (version === 68) return { networkId, head: hash(3), genesis: hash(4), forkId: forkIdFromRlp(fields[5]), range: null }
  const range = rangeOf(fields.slice(4))
  return { networkId, genesis: hash(2), forkId: forkIdFromRlp(fields[3]), head: range.latestHash, range }
}

/** Throws CodecError, also for a range that is no range. */
export function decodeBlockRange(payload: Uint8Array): BlockRange {
  return rangeOf(rlpList(rlpSmall(payload, MAX_RANGE_BYTES, 'block range'), 'block range'))
}

export function encodeBlockRange({ earliest, latest, latestHash }: BlockRange): Uint8Array {
  return rlpEncode([earliest, latest, hexToBytes(latestHash)])
}

function rangeOf(fields: ReturnType<typeof rlpList>): BlockRange {
  const earliest = rlpBigint(fields[0], 'earliest block', 8)
  const latest = rlpBigint(fields[1], 'latest block', 8)
  if (earliest > latest) throw new CodecError('codec/rlp', `block range from ${earliest} to ${latest}`)
  return { earliest, latest, latestHash: bytesToHex(rlpBytes(fields[2], 'latest hash', 32)) as Hash }
}

/** The reason to refuse the peer; null accepts it. */
export function judgeStatus(remote: RemoteStatus, local: LocalStatus, filter: ForkFilter): string | null {
  if (remote.networkId !== local.networkId) return `network id ${remote.networkId}; expected ${local.networkId}`
  if (remote.genesis !== local.genesis) return `genesis ${remote.genesis}; expected ${local.genesis}`
  const verdict = filter(remote.forkId)
  return verdict.kind === 'accepted' ? null : verdict.detail
}
