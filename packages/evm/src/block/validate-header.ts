import { type BlockRules, ethParameters } from '@keelson/chainspec'
import {
  EMPTY_OMMERS_HASH,
  EMPTY_REQUESTS_HASH,
  EMPTY_TRIE_ROOT,
  encodeReceipt,
  equalBytes,
  type Header,
  orderedListRoot,
} from '@keelson/primitives'
import { expectedExcessBlobGas, GAS_PER_BLOB } from '../fees/blob-fee.ts'
import { nextBaseFeeWei } from './base-fee.ts'
import type { BlockResult } from './block-types.ts'
import { nextDifficulty } from './difficulty.ts'
import { type ExtraDataRejection, validateExtraData } from './extra-data.ts'

export type HeaderRejection =
  | ExtraDataRejection
  | 'number'
  | 'timestamp'
  | 'gas-limit'
  | 'gas-used-above-limit'
  | 'ommers'
  | 'transactions-root'
  | 'extra-data-dao'
  | 'difficulty'
  | 'nonce'
  | 'base-fee'
  | 'withdrawals-root'
  | 'blob-gas-used'
  | 'excess-blob-gas'
  | 'parent-beacon-block-root'
  | 'requests-hash'
  | 'block-access-list-hash'
  | 'slot-number'
  | 'gas-used'
  | 'logs-bloom'
  | 'receipts-root'

export interface HeaderProblem {
  readonly reason: HeaderRejection
  readonly ommerReason?: HeaderRejection
  readonly message: string
}

const MIN_GAS_LIMIT = 5000n
const GAS_LIMIT_BOUND_DIVISOR = 1024n
const MAX_GAS_LIMIT = (1n << 63n) - 1n

/** Proof-of-work seals are not checked. */
export function validateHeader(header: Header, parent: Header, rules: BlockRules): HeaderProblem | null {
  const expect = (reason: HeaderRejection, expected: unknown, got: unknown): HeaderProblem | null =>
    expected === got ? null : headerProblem(header, reason, expected, got)
  const extra = validateExtraData(header.extraData, rules)
  if (extra !== null)
    return { reason: extra, message: `block ${header.number}: extraData of ${header.extraData.length} bytes is refused: ${extra}` }
  return (
    expect('number', parent.number + 1, header.number) ??
    (header.timestampSec > parent.timestampSec
      ? null
      : headerProblem(header, 'timestamp', `more than ${parent.timestampSec}`, header.timestampSec)) ??
    validateGas(header, parent, rules) ??
    (ethParameters(rules.ethFork).proofOfStake
      ? validateStakeFields(header)
      : expect('difficulty', nextDifficulty(parent, header, ethParameters(rules.ethFork)), header.difficulty)) ??
    expect('base-fee', rules.feeSink === 'miner' ? null : nextBaseFeeWei(parent, rules), header.baseFeeWei) ??
    validateWithdrawalsRoot(header, rules) ??
    validateBlobFields(header, parent, rules) ??
    (rules.parentBeaconRoot === (header.parentBeaconBlockRoot !== null)
      ? null
      : headerProblem(header, 'parent-beacon-block-root', rules.parentBeaconRoot ? 'a root' : 'none', header.parentBeaconBlockRoot)) ??
    validateRequestsHash(header, rules) ??
    validatePresence(header, 'block-access-list-hash', header.blockAccessListHash, rules.blockAccessList) ??
    validatePresence(header, 'slot-number', header.slotNumber, rules.blockAccessList)
  )
}

export function headerProblem(header: Pick<Header, 'number'>, reason: HeaderRejection, expected: unknown, got: unknown): HeaderProblem {
  return { reason, message: `block ${header.number}: ${reason}: expected ${expected ?? 'none'}, got ${got ?? 'none'}` }
}

function validateGas(header: Header, parent: Header, rules: BlockRules): HeaderProblem | null {
  if (header.gasLimit > MAX_GAS_LIMIT) return headerProblem(header, 'gas-limit', `at most ${MAX_GAS_LIMIT}`, header.gasLimit)
  if (header.gasUsed > header.gasLimit) return headerProblem(header, 'gas-used-above-limit', `at most ${header.gasLimit}`, header.gasUsed)
  if (rules.chain === 'op') return null
  const london = parent.baseFeeWei === null && rules.feeSink !== 'miner'
  const base = london ? parent.gasLimit * 2n : parent.gasLimit
  const moved = header.gasLimit > base ? header.gasLimit - base : base - header.gasLimit
  const within = moved < base / GAS_LIMIT_BOUND_DIVISOR && header.gasLimit >= MIN_GAS_LIMIT
  return within ? null : headerProblem(header, 'gas-limit', `within 1/${GAS_LIMIT_BOUND_DIVISOR} of ${base}`, header.gasLimit)
}

function validateStakeFields(header: Header): HeaderProblem | null {
  if (header.ommersHash !== EMPTY_OMMERS_HASH) return headerProblem(header, 'ommers', EMPTY_OMMERS_HASH, header.ommersHash)
  if (header.difficulty !== 0n) return headerProblem(header, 'difficulty', 0n, header.difficulty)
  if (header.nonce.some((byte) => byte !== 0)) return headerProblem(header, 'nonce', 'eight zero bytes', 'others')
  return null
}

function validateWithdrawalsRoot(header: Header, rules: BlockRules): HeaderProblem | null {
  const got = header.withdrawalsRoot
  switch (rules.withdrawals) {
    case 'absent':
      return got === null ? null : headerProblem(header, 'withdrawals-root', null, got)
    case 'empty':
      return got === EMPTY_TRIE_ROOT ? null : headerProblem(header, 'withdrawals-root', EMPTY_TRIE_ROOT, got)
    default:
      return got !== null ? null : headerProblem(header, 'withdrawals-root', 'a root', got)
  }
}

function validateBlobFields(header: Header, parent: Header, rules: BlockRules): HeaderProblem | null {
  const { blobGasUsed: used, excessBlobGas: excess } = header
  if (!rules.blobFields) {
    if (used !== null) return headerProblem(header, 'blob-gas-used', null, used)
    return excess === null ? null : headerProblem(header, 'excess-blob-gas', null, excess)
  }
  if (used === null) return headerProblem(header, 'blob-gas-used', 'a number', used)
  if (rules.chain === 'op') {
    if (excess !== 0n) return headerProblem(header, 'excess-blob-gas', 0n, excess)
    if (!rules.daFootprint) return used === 0n ? null : headerProblem(header, 'blob-gas-used', 0n, used)
    return used <= header.gasLimit ? null : headerProblem(header, 'blob-gas-used', `at most the gas limit ${header.gasLimit}`, used)
  }
  const blobs = rules.blobParameters
  if (blobs === null) return headerProblem(header, 'excess-blob-gas', 'blob parameters for this chain', 'none configured')
  const most = BigInt(blobs.max) * GAS_PER_BLOB
  if (used > most || used % GAS_PER_BLOB !== 0n)
    return headerProblem(header, 'blob-gas-used', `a multiple of ${GAS_PER_BLOB} up to ${most}`, used)
  const expected = expectedExcessBlobGas(parent, blobs, ethParameters(rules.ethFork).blobReservePrice)
  return excess === expected ? null : headerProblem(header, 'excess-blob-gas', expected, excess)
}

function validateRequestsHash(header: Header, rules: BlockRules): HeaderProblem | null {
  const got = header.requestsHash
  if (rules.requests === 'absent') return got === null ? null : headerProblem(header, 'requests-hash', null, got)
  if (rules.requests === 'empty')
    return got === EMPTY_REQUESTS_HASH ? null : headerProblem(header, 'requests-hash', EMPTY_REQUESTS_HASH, got)
  return got !== null ? null : headerProblem(header, 'requests-hash', 'a hash', got)
}

/** EIP-7928, EIP-7843 */
function validatePresence(
  header: Header,
  reason: 'block-access-list-hash' | 'slot-number',
  got: unknown,
  wanted: boolean,
): HeaderProblem | null {
  return (got !== null) === wanted ? null : headerProblem(header, reason, wanted ? 'a value' : null, got)
}

/** The caller compares state and withdrawals roots. */
export function verifyExecution(header: Header, result: BlockResult): HeaderProblem | null {
  if (header.gasUsed !== result.gasUsed) return headerProblem(header, 'gas-used', result.gasUsed, header.gasUsed)
  if (!equalBytes(header.logsBloom, result.logsBloom)) return headerProblem(header, 'logs-bloom', 'the union of the receipts', 'another')
  const receiptsRoot = orderedListRoot(result.receipts.map(encodeReceipt))
  if (header.receiptsRoot !== receiptsRoot) return headerProblem(header, 'receipts-root', receiptsRoot, header.receiptsRoot)
  if (header.blobGasUsed !== result.blobGasUsed) return headerProblem(header, 'blob-gas-used', result.blobGasUsed, header.blobGasUsed)
  if (header.requestsHash !== result.requestsHash) return headerProblem(header, 'requests-hash', result.requestsHash, header.requestsHash)
  return null
}
