/**
 * Forms of a receipt: stored and hashed into the receipts root (`0x7e || [status, gas, bloom, logs, nonce?, version?]`), sent by
 * eth/68 (the same, but a deposit between Regolith and Canyon states its nonce), and sent from eth/69 on (`[type, status, gas, logs,
 * nonce?, version?]`).
 */
import { CodecError, logsBloom, rlpBytes, rlpEncode, rlpEncodeList, rlpNumber, TX_DEPOSIT, toAddress, toHash } from '@keelson/primitives'
import { rlpString } from '../bounded-rlp.ts'
import { rawItems } from '../raw-list.ts'
import { type EthVersion, envelopeToRlp, typedEnvelope } from './eth-messages.ts'

const MAX_FIELDS = 7
const ROOT_FIELDS = 4
const DEPOSIT_FIELDS = 6
/** More logs than the gas of any block pays for. */
const MAX_LOGS = 1_000_000
const LOG_FIELDS = 3
const MAX_TOPICS = 4

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

/** Returns the form of the trie of receipts: a byte string for a typed receipt, a list for a legacy one. Throws CodecError. */
export function receiptFromPeer(version: EthVersion, item: Uint8Array): Uint8Array {
  return version === 68 ? fromEth68(item) : fromEth69(item)
}

function fromEth68(item: Uint8Array): Uint8Array {
  if ((item[0] as number) >= 0xc0) return item
  const raw = rlpBytes(rlpString(item), 'typed receipt')
  if (raw[0] !== TX_DEPOSIT) return item
  const fields = rawItems(raw.subarray(1), MAX_FIELDS, 'deposit receipt')
  return fields.length === ROOT_FIELDS + 1 ? rlpEncode(typedEnvelope(TX_DEPOSIT, rlpEncodeList(fields.slice(0, ROOT_FIELDS)))) : item
}

function fromEth69(item: Uint8Array): Uint8Array {
  const [typeItem, outcome, gas, logs, ...rest] = rawItems(item, MAX_FIELDS, 'receipt')
  if (typeItem === undefined || outcome === undefined || gas === undefined || logs === undefined)
    throw new CodecError('codec/receipt', 'receipt with too few fields')
  const type = rlpNumber(rlpString(typeItem), 'receipt type')
  if (type > 0x7f) throw new CodecError('codec/receipt', `${type} is not a receipt type`)
  const hashed = rest.length === DEPOSIT_FIELDS - ROOT_FIELDS ? rest : []
  const content = rlpEncodeList([outcome, gas, rlpEncode(bloomOf(logs)), logs, ...hashed])
  return type === 0 ? content : rlpEncode(typedEnvelope(type, content))
}

function bloomOf(logs: Uint8Array): Uint8Array {
  return logsBloom(
    rawItems(logs, MAX_LOGS, 'logs').map((item) => {
      const [address, topics] = rawItems(item, LOG_FIELDS, 'log')
      if (address === undefined || topics === undefined) throw new CodecError('codec/receipt', 'log with too few fields')
      return {
        address: toAddress(rlpBytes(rlpString(address), 'log address', 20)),
        topics: rawItems(topics, MAX_TOPICS, 'topics').map((topic) => toHash(rlpBytes(rlpString(topic), 'topic', 32))),
        data: new Uint8Array(0),
      }
    }),
  )
}
