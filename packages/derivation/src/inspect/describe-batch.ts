import type { RollupConfig } from '@keelson/chainspec'
import { bytesToHex } from '@keelson/primitives'
import type { DecodedBatch } from '../pipeline/channel-reader.ts'
import type { BatchSeen } from './inspection-event.ts'

export function describeBatch(
  { genesis, blockTimeSec }: RollupConfig,
  decoded: DecodedBatch,
  where: Pick<BatchSeen, 'batch' | 'l1Block' | 'channel'>,
): BatchSeen {
  const numberOf = (timestampSec: number) => {
    const behind = timestampSec - genesis.l2TimestampSec
    return behind > 0 && behind % blockTimeSec === 0 ? genesis.l2.number + behind / blockTimeSec : null
  }
  if (decoded.kind === 'singular') {
    const { parentHash, epoch, timestampSec, transactions } = decoded.batch
    return {
      kind: 'batch',
      ...where,
      type: 'singular',
      fromL2Block: numberOf(timestampSec),
      l2Blocks: 1,
      transactions: transactions.length,
      fromTimestamp: timestampSec,
      toTimestamp: timestampSec,
      fromEpoch: epoch.number,
      toEpoch: epoch.number,
      parent: parentHash,
      epochHash: epoch.hash,
    }
  }
  const { blockCount, transactionCount, first, last, parentCheck, l1OriginCheck } = decoded.batch
  return {
    kind: 'batch',
    ...where,
    type: 'span',
    fromL2Block: numberOf(first.timestampSec),
    l2Blocks: blockCount,
    transactions: transactionCount,
    fromTimestamp: first.timestampSec,
    toTimestamp: last.timestampSec,
    fromEpoch: first.epochNumber,
    toEpoch: last.epochNumber,
    parent: bytesToHex(parentCheck),
    epochHash: bytesToHex(l1OriginCheck),
  }
}
