/** protocol/deposits.md#user-deposited-transactions */
import {
  type Address,
  bytesToBigint,
  CodecError,
  type DepositTransaction,
  encodeDeposit,
  type Hash,
  hexToBytes,
  keccak256Hash,
  type Log,
  type Receipt,
  TX_DEPOSIT,
  userDepositSourceHash,
  utf8ToBytes,
  ZERO_HASH,
} from '@keelson/primitives'
import { ByteReader } from '../bytes/byte-reader.ts'

export const DEPOSIT_EVENT_TOPIC: Hash = keccak256Hash(utf8ToBytes('TransactionDeposited(address,address,uint256,bytes)'))

/** `logIndex` counts all logs of the L1 block. Throws CodecError `codec/deposit-log`. */
export function decodeDepositLog(log: Log, l1BlockHash: Hash, logIndex: number): DepositTransaction {
  const [event, from, to, version] = log.topics
  if (log.topics.length !== 4 || event !== DEPOSIT_EVENT_TOPIC || from === undefined || to === undefined) {
    throw new CodecError('codec/deposit-log', `expected TransactionDeposited with 4 topics, got ${log.topics.length}`)
  }
  if (version !== ZERO_HASH) throw new CodecError('codec/deposit-log', `deposit version ${version} is not known`)
  const opaque = new ByteReader(opaqueData(log.data), 'codec/deposit-log')
  const mintWei = opaque.bigUint(32, 'mint')
  const valueWei = opaque.bigUint(32, 'value')
  const gasLimit = opaque.bigUint(8, 'gas limit')
  const isCreation = opaque.byte('isCreation') !== 0
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: userDepositSourceHash(l1BlockHash, logIndex),
    from: hexToBytes(from).subarray(12),
    to: isCreation ? null : hexToBytes(to).subarray(12),
    mintWei,
    valueWei,
    gasLimit,
    isSystemTx: false,
    data: opaque.rest(),
  })
}

function opaqueData(data: Uint8Array): Uint8Array {
  if (data.length < 64 || data.length % 32 !== 0) {
    throw new CodecError('codec/deposit-log', `expected whole words of log data, at least two, got ${data.length} bytes`)
  }
  const offset = bytesToBigint(data.subarray(0, 32))
  if (offset !== 32n) throw new CodecError('codec/deposit-log', `expected opaqueData at offset 32, got ${offset}`)
  const length = bytesToBigint(data.subarray(32, 64))
  const room = BigInt(data.length - 64)
  if (length > room || length + 32n <= room) {
    throw new CodecError('codec/deposit-log', `opaqueData states ${length} bytes, the log holds ${room}`)
  }
  return data.subarray(64, 64 + Number(length))
}

/** Deposits in log order, without failed transactions. Throws CodecError `codec/deposit-log`. */
export function depositsOf(receipts: readonly Receipt[], l1BlockHash: Hash, portal: Address): DepositTransaction[] {
  const deposits: DepositTransaction[] = []
  let logIndex = 0
  for (const receipt of receipts) {
    const succeeded = 'status' in receipt.outcome && receipt.outcome.status === 1
    for (const log of receipt.logs) {
      if (succeeded && log.address === portal && log.topics[0] === DEPOSIT_EVENT_TOPIC) {
        deposits.push(decodeDepositLog(log, l1BlockHash, logIndex))
      }
      logIndex++
    }
  }
  return deposits
}
