/**
 * The payload of a post-execution transaction: `[version, blockNumber, ...]`. Version 1 is sequencer-defined metering, which gives gas
 * back to the senders of transactions in the same block. specs: protocol/lagoon/post-exec.md#post-exec-payload-envelope,
 * sdm.md#payload-schema-version-1
 */
import { CodecError } from '../errors.ts'
import { type RlpItem, rlpBigint, rlpDecode, rlpEncode, rlpList } from '../rlp.ts'
import { type PostExecTransaction, TX_POST_EXEC } from './transaction.ts'
import { withEncoding } from './with-encoding.ts'

export interface GasRefund {
  /** Position of the transaction in the block. */
  readonly index: number
  /** At least 1. */
  readonly gas: bigint
}

export interface PostExecPayload {
  readonly version: 1
  readonly blockNumber: bigint
  /** At least one, by strictly increasing index. */
  readonly refunds: readonly GasRefund[]
}

const SDM_VERSION = 1

/** `payload` must be an RLP list. */
export function postExecTransaction(payload: Uint8Array): PostExecTransaction {
  const raw = new Uint8Array(1 + payload.length)
  raw[0] = TX_POST_EXEC
  raw.set(payload, 1)
  return withEncoding({ type: TX_POST_EXEC, payload: raw.subarray(1) } as const, raw)
}

export function encodePostExecPayload({ version, blockNumber, refunds }: PostExecPayload): Uint8Array {
  return rlpEncode([version, blockNumber, refunds.map(({ index, gas }) => [index, gas])])
}

/** Throws CodecError `codec/transaction` or `codec/rlp` for a payload that no block may hold, whatever its transactions are. */
export function decodePostExecPayload(payload: Uint8Array): PostExecPayload {
  const fields = rlpList(rlpDecode(payload), 'post-exec payload')
  const version = rlpBigint(fields[0], 'post-exec version', 1)
  if (version !== BigInt(SDM_VERSION)) throw malformed(`version ${version} is not known; expected ${SDM_VERSION}`)
  if (fields.length !== 3) throw malformed(`expected 3 fields, got ${fields.length}`)
  const refunds = rlpList(fields[2], 'post-exec refunds').map(decodeRefund)
  if (refunds.length === 0) throw malformed('it refunds nothing, and must then be left out')
  for (const [i, { index }] of refunds.entries()) {
    const before = refunds[i - 1]?.index ?? -1
    if (index <= before) throw malformed(`the refund of transaction ${index} follows that of ${before}; expected increasing indexes`)
  }
  return { version: SDM_VERSION, blockNumber: rlpBigint(fields[1], 'post-exec block number', 8), refunds }
}

function decodeRefund(item: RlpItem): GasRefund {
  const fields = rlpList(item, 'post-exec refund')
  if (fields.length !== 2) throw malformed(`a refund has ${fields.length} fields; expected 2`)
  const index = rlpBigint(fields[0], 'post-exec refund index', 8)
  const gas = rlpBigint(fields[1], 'post-exec refund gas', 8)
  if (gas === 0n) throw malformed(`the refund of transaction ${index} is zero, and must then be left out`)
  return { index: Number(index), gas }
}

function malformed(problem: string): CodecError {
  return new CodecError('codec/transaction', `post-exec payload: ${problem}`)
}
