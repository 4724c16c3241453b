/**
 * Forms of a receipt: stored and hashed into the receipts root (`0x7e || [status, gas, bloom, logs, nonce?, version?]`), sent by
 * eth/68 (the same, but a deposit between Regolith and Canyon states its nonce), and by eth/69 (`[type, status, gas, logs, nonce?,
 * version?]`).
 */
import {
  CodecError,
  logsBloom,
  rlpBytes,
  rlpDecode,
  rlpEncode,
  rlpEncodeList,
  rlpList,
  rlpNumber,
  TX_DEPOSIT,
  toAddress,
  toHash,
} from '@keelson/primitives'
import { rawItems } from '../raw-list.ts'
import { type EthVersion, envelopeToRlp, typedEnvelope } from './eth-messages.ts'

const MAX_FIELDS = 7
const ROOT_FIELDS = 4
const DEPOSIT_FIELDS = 6
/** More logs than the gas of any block pays for. */
const MAX_LOGS = 1_000_000
const MAX_TOPICS = 4
const MAX_RECEIPTS = 1_000_000

/** `nonce` is the deposit nonce as stored, empty if there is none. */
export function receiptForPeer(version: EthVersion, stored: Uint8Array, nonce: Uint8Array): Uint8Array {
  const isLegacy = (stored[0] as number) >= 0xc0
  const type = isLegacy ? 0 : (stored[0] as number)
  const fields = rawItems(isLegacy ? stored : stored.subarray(1), MAX_FIELDS, 'stored receipt')
  const untold = nonce.length > 0 && fields.length === ROOT_FIELDS ? [rlpEncode(rlpNonce(nonce))] : []
  if (version === 68) {
    if (untold.length === 0) return envelopeToRlp(stored)
    return rlpEncode(typedEnvelope(type, rlpEncodeList([...fields, ...untold])))
  }
  const [outcome, gas, , logs, ...rest] = fields as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, ...Uint8Array[]]
  return rlpEncodeList([rlpEncode(type), outcome, gas, logs, ...rest, ...untold])
}

function rlpNonce(stored: Uint8Array): Uint8Array {
  const start = stored.findIndex((byte) => byte !== 0)
  return start < 0 ? new Uint8Array(0) : stored.subarray(start)
}

/** The receipts of a block, each in the form of the trie of receipts. Throws CodecError. */
export function receiptsFromPeer(version: EthVersion, list: Uint8Array): Uint8Array {
  return rlpEncodeList(rawItems(list, MAX_RECEIPTS, 'receipts of a block').map((item) => receiptFromPeer(version, item)))
}

/** A byte string for a typed receipt, a list for a legacy one. */
function receiptFromPeer(version: EthVersion, item: Uint8Array): Uint8Array {
  return version === 68 ? fromEth68(item) : fromEth69(item)
}

function fromEth68(item: Uint8Array): Uint8Array {
  if ((item[0] as number) >= 0xc0) return item
  const raw = rlpBytes(rlpDecode(item), 'typed receipt')
  if (raw[0] !== TX_DEPOSIT) return item
  const fields = rawItems(raw.subarray(1), MAX_FIELDS, 'deposit receipt')
  return fields.length === ROOT_FIELDS + 1 ? rlpEncode(typedEnvelope(TX_DEPOSIT, rlpEncodeList(fields.slice(0, ROOT_FIELDS)))) : item
}

function fromEth69(item: Uint8Array): Uint8Array {
  const [typeItem, outcome, gas, logs, ...rest] = rawItems(item, MAX_FIELDS, 'receipt')
  if (typeItem === undefined || outcome === undefined || gas === undefined || logs === undefined)
    throw new CodecError('codec/receipt', 'receipt with too few fields')
  const type = rlpNumber(rlpDecode(typeItem), 'receipt type')
  if (type > 0x7f) throw new CodecError('codec/receipt', `${type} is not a receipt type`)
  const hashed = rest.length === DEPOSIT_FIELDS - ROOT_FIELDS ? rest : []
  const content = rlpEncodeList([outcome, gas, rlpEncode(bloomOf(logs)), logs, ...hashed])
  return type === 0 ? content : rlpEncode(typedEnvelope(type, content))
}

function bloomOf(logs: Uint8Array): Uint8Array {
  return logsBloom(
    rawItems(logs, MAX_LOGS, 'logs').map((item) => {
      const [address, topics] = rlpList(rlpDecode(item), 'log')
      const list = rlpList(topics, 'topics')
      if (list.length > MAX_TOPICS) throw new CodecError('codec/receipt', `log with ${list.length} topics`)
      return {
        address: toAddress(rlpBytes(address, 'log address', 20)),
        topics: list.map((topic) => toHash(rlpBytes(topic, 'topic', 32))),
        data: new Uint8Array(0),
      }
    }),
  )
}
