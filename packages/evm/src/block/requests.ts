/** EIP-7685, EIP-6110 */
import {
  type Address,
  bytesToNumber,
  type Crypto,
  concatBytes,
  EMPTY_REQUESTS_HASH,
  type Hash,
  type Receipt,
  toAddress,
  toHash,
} from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import type { BlockSession } from '../ports.ts'
import { CONSOLIDATION_REQUESTS, requiredSystemCall, WITHDRAWAL_REQUESTS } from './system-calls.ts'

export const MAINNET_DEPOSIT_CONTRACT = toAddress('0x00000000219ab540356cbb839cbe05303d7705fa')
const DEPOSIT_TOPIC = toHash('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')
const DEPOSIT_TYPE = 0
const WITHDRAWAL_TYPE = 1
const CONSOLIDATION_TYPE = 2
const DEPOSIT_FIELD_BYTES = [48, 32, 8, 96, 8]
const WORD = 32

export function collectRequests(session: BlockSession, receipts: readonly Receipt[], depositContract: Address): readonly Uint8Array[] {
  const payloads: readonly (readonly [number, Uint8Array])[] = [
    [DEPOSIT_TYPE, depositRequests(receipts, depositContract)],
    [WITHDRAWAL_TYPE, requiredSystemCall(session, WITHDRAWAL_REQUESTS)],
    [CONSOLIDATION_TYPE, requiredSystemCall(session, CONSOLIDATION_REQUESTS)],
  ]
  return payloads.filter(([, payload]) => payload.length > 0).map(([type, payload]) => concatBytes(Uint8Array.of(type), payload))
}

export function requestsHash(requests: readonly Uint8Array[], crypto: Crypto): Hash {
  if (requests.length === 0) return EMPTY_REQUESTS_HASH
  return toHash(crypto.sha256(concatBytes(...requests.map((request) => crypto.sha256(request)))))
}

function depositRequests(receipts: readonly Receipt[], depositContract: Address): Uint8Array {
  const logs = receipts.flatMap((receipt) => receipt.logs)
  return concatBytes(
    ...logs.filter((log) => log.address === depositContract && log.topics[0] === DEPOSIT_TOPIC).map((log) => decodeDeposit(log.data)),
  )
}

/** Another log layout makes the block invalid. */
function decodeDeposit(data: Uint8Array): Uint8Array {
  const layout: Uint8Array[] = []
  let offset = DEPOSIT_FIELD_BYTES.length * WORD
  for (const [i, length] of DEPOSIT_FIELD_BYTES.entries()) {
    if (readWord(data, i * WORD) !== offset || readWord(data, offset) !== length) {
      throw new EvmError('evm/system-contract', `deposit log: field ${i} is not ${length} bytes at ${offset}`)
    }
    layout.push(data.subarray(offset + WORD, offset + WORD + length))
    offset += WORD + Math.ceil(length / WORD) * WORD
  }
  if (data.length !== offset) throw new EvmError('evm/system-contract', `deposit log of ${data.length} bytes, expected ${offset}`)
  return concatBytes(...layout)
}

function readWord(data: Uint8Array, at: number): number | null {
  const word = data.subarray(at, at + WORD)
  if (word.length < WORD || word.subarray(0, WORD - 4).some((byte) => byte !== 0)) return null
  return bytesToNumber(word.subarray(WORD - 4))
}
