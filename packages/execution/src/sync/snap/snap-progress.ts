/**
 * What is left to fetch in ranges: RLP [version, account ranges, storages]; a range is [next, last], a storage
 * [address hash, ranges].
 */
import { type Bytes32, type RlpItem, rlpBytes, rlpDecode, rlpEncode, rlpList, rlpNumber } from '@keelson/primitives'
import { ExecutionError } from '../../errors.ts'
import { FIRST_KEY, type KeyRange, splitKeys } from './key-range.ts'

export interface LargeStorage {
  readonly addressHash: Bytes32
  readonly ranges: KeyRange[]
}

export interface SnapProgress {
  readonly accounts: KeyRange[]
  /** Storages too large for one response. */
  readonly storages: LargeStorage[]
}

const VERSION = 1
const ACCOUNT_TASKS = 16

/** Nothing recorded yet starts with all accounts. Throws ExecutionError `execution/corrupt-record`. */
export function decodeProgress(record: Uint8Array): SnapProgress {
  if (record.length === 0) return { accounts: splitKeys(FIRST_KEY, ACCOUNT_TASKS), storages: [] }
  const [version, accounts, storages] = rlpList(rlpDecode(record), 'progress')
  if (rlpNumber(version, 'version') !== VERSION) {
    throw new ExecutionError('execution/corrupt-record', 'the progress of the state sync was written by another release')
  }
  return {
    accounts: ranges(accounts),
    storages: rlpList(storages, 'storages').map((item) => {
      const [addressHash, left] = rlpList(item, 'storage')
      return { addressHash: rlpBytes(addressHash, 'address hash', 32), ranges: ranges(left) }
    }),
  }
}

export function encodeProgress({ accounts, storages }: SnapProgress): Uint8Array {
  const encoded = (left: readonly KeyRange[]) => left.map(({ next, last }) => [next, last])
  return rlpEncode([VERSION, encoded(accounts), storages.map((storage) => [storage.addressHash, encoded(storage.ranges)])])
}

function ranges(item: RlpItem | undefined): KeyRange[] {
  return rlpList(item, 'ranges').map((range) => {
    const [next, last] = rlpList(range, 'range')
    return { next: rlpBytes(next, 'key', 32), last: rlpBytes(last, 'key', 32) }
  })
}
