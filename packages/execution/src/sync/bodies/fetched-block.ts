import {
  blockOfBody,
  CodecError,
  decodeHeader,
  type Hash,
  keccak256Hash,
  orderedListRoot,
  type RlpInput,
  type RlpItem,
  rlpDecode,
  rlpEncode,
  rlpList,
} from '@keelson/primitives'
import type { ChainRules } from '../../chain-rules.ts'
import { type CoveredBlock, coverBody } from '../../import/covered-block.ts'
import type { RawHeader } from '../skeleton/raw-header.ts'

export type FetchedBlock =
  | { readonly kind: 'covered'; readonly header: RawHeader; readonly block: CoveredBlock }
  /** The header commits to this body, which no rule of this chain can read. */
  | { readonly kind: 'undecodable'; readonly header: RawHeader; readonly reason: string }

/** Returns null for a body that the header does not commit to. */
export function readBody(raw: Uint8Array, header: RawHeader, rules: Pick<ChainRules, 'rulesAt'>): FetchedBlock | null {
  const fields = decodeFields(raw)
  if (fields === null) return null
  try {
    const block = blockOfBody(header, fields)
    const ommers = rlpList(fields[1], 'ommers').map((ommer) => decodeHeader(rlpEncode(ommer as RlpInput)))
    const coverage = coverBody(block, ommers, rules.rulesAt(header.header))
    return coverage.kind === 'covered' ? { kind: 'covered', header, block: coverage.block } : null
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return isCommitted(fields, header) ? { kind: 'undecodable', header, reason: error.message } : null
  }
}

function decodeFields(raw: Uint8Array): readonly RlpItem[] | null {
  try {
    return rlpList(rlpDecode(raw), 'body')
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}

/** Compares the lists with the header without reading their entries. */
function isCommitted(fields: readonly RlpItem[], { header }: RawHeader): boolean {
  // A peer that adds or leaves out a field must not make a valid block invalid.
  if (fields.length !== (header.withdrawalsRoot === null ? 2 : 3)) return false
  const [, ommers, withdrawals] = fields
  if (ommers === undefined || keccak256Hash(rlpEncode(ommers as RlpInput)) !== header.ommersHash) return false
  if (transactionsRootOfFields(fields) !== header.transactionsRoot || withdrawals instanceof Uint8Array) return false
  // From Isthmus on, the root is that of a contract's storage, and the list is empty.
  if (withdrawals === undefined || withdrawals.length === 0) return true
  return orderedListRoot(withdrawals.map((one) => rlpEncode(one as RlpInput))) === header.withdrawalsRoot
}

/** Returns null for bytes that are no body. */
export function transactionsRootOf(raw: Uint8Array): Hash | null {
  const fields = decodeFields(raw)
  return fields === null ? null : transactionsRootOfFields(fields)
}

function transactionsRootOfFields([transactions]: readonly RlpItem[]): Hash | null {
  if (transactions === undefined || transactions instanceof Uint8Array) return null
  return orderedListRoot(transactions.map((item) => (item instanceof Uint8Array ? item : rlpEncode(item as RlpInput))))
}
