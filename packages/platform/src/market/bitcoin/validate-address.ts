/** BIP 13, 173, 350 */

import * as ecc from '@bitcoinerlab/secp256k1'
import { messageOf } from '@keelson/primitives'
import { address as codec } from 'bitcoinjs-lib'
import {
  type ADDRESS_FAULTS,
  type AddressValidation,
  BITCOIN_NETWORKS,
  type BitcoinNetwork,
  type ValidateAddressRequest,
} from '../../schemas/bitcoin.ts'
import { bareHex, NETWORK_FORMS, witnessType } from './scripts.ts'

type Fault = (typeof ADDRESS_FAULTS)[number]
type Found = Omit<AddressValidation, 'address' | 'valid' | 'reason' | 'message'>
type Verdict = Found & Pick<AddressValidation, 'reason' | 'message'>

const UNKNOWN: Found = { type: null, networks: [], encoding: null, witness_version: null, program: null, script_pubkey: null }
const MAX_LENGTH = 90
const BECH32_PREFIXES = ['bc', 'tb', 'bcrt']
const CHECKSUM_LENGTH = 6
const MAX_WITNESS_VERSION = 16

export function validateBitcoinAddress({ address, network }: ValidateAddressRequest): AddressValidation {
  const text = address.trim()
  const verdict = judge(text)
  if (verdict.reason === null && network !== undefined && !verdict.networks.includes(network)) {
    const why = `expected an address of ${network}, got one of ${verdict.networks.join(' or ')}`
    return { address, valid: false, ...verdict, reason: 'other-network', message: why }
  }
  return { address, valid: verdict.reason === null, ...verdict }
}

function judge(text: string): Verdict {
  if (text.length > MAX_LENGTH) return fault('bad-length', `expected at most ${MAX_LENGTH} characters, got ${text.length}`)
  const separator = text.lastIndexOf('1')
  const prefix = text.slice(0, Math.max(0, separator)).toLowerCase()
  if (BECH32_PREFIXES.includes(prefix)) return judgeBech32(text)
  if (/^[a-z]{1,10}1[02-9ac-hj-np-z]{11,}$/i.test(text) && isSomeBech32(text)) {
    return fault('unknown-network', `expected an address that begins with bc1, tb1 or bcrt1, got ${text.slice(0, separator + 1)}`)
  }
  return judgeBase58(text)
}

function judgeBase58(text: string): Verdict {
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return fault('bad-characters', 'it has characters that no bitcoin address has')
  if (text.length < 26 || text.length > 35)
    return fault('unknown-format', 'it has neither the form of a base58 address nor of a bech32 one')
  const decoded = attempt(() => codec.fromBase58Check(text))
  if (typeof decoded === 'string') {
    if (/too (short|long)/.test(decoded)) return fault('bad-length', 'expected a hash of 20 bytes', { encoding: 'base58check' })
    return fault('bad-checksum', 'its checksum is wrong: a character was lost or changed', { encoding: 'base58check' })
  }
  const { version, hash } = decoded
  const pays = (key: 'pubKeyHash' | 'scriptHash') => BITCOIN_NETWORKS.filter((network) => NETWORK_FORMS[network][key] === version)
  const [toKey, toScript] = [pays('pubKeyHash'), pays('scriptHash')]
  const program = bareHex(hash)
  const found = { ...UNKNOWN, encoding: 'base58check', program } as const
  if (toKey.length > 0) return fine({ ...found, type: 'p2pkh', networks: toKey, script_pubkey: `76a914${program}88ac` })
  if (toScript.length > 0) return fine({ ...found, type: 'p2sh', networks: toScript, script_pubkey: `a914${program}87` })
  return fault('unknown-network', `its version byte is 0x${version.toString(16).padStart(2, '0')}, which no bitcoin network has`, found)
}

function judgeBech32(text: string): Verdict {
  if (text !== text.toLowerCase() && text !== text.toUpperCase())
    return fault('mixed-case', 'a bech32 address is in lower or in upper case, not both')
  if (text.length - text.lastIndexOf('1') - 1 <= CHECKSUM_LENGTH) return fault('bad-length', 'there is nothing before its checksum')
  const decoded = attempt(() => codec.fromBech32(text.toLowerCase()))
  if (typeof decoded === 'string') return bech32Fault(text.toLowerCase(), decoded)
  const { version, prefix, data } = decoded
  const encoding = version === 0 ? 'bech32' : 'bech32m'
  const networks: BitcoinNetwork[] = BITCOIN_NETWORKS.filter((network) => NETWORK_FORMS[network].bech32 === prefix)
  const found = { ...UNKNOWN, networks, encoding, witness_version: version, program: bareHex(data) } as const
  if (version > MAX_WITNESS_VERSION) return fault('bad-version', `expected a witness version of 0 to 16, got ${version}`, found)
  if (data.length < 2 || data.length > 40)
    return fault('bad-length', `expected a witness program of 2 to 40 bytes, got ${data.length}`, found)
  const script = Uint8Array.of(version === 0 ? 0 : 0x50 + version, data.length, ...data)
  const type = witnessType(version, script)
  if (type === 'nonstandard') return fault('bad-length', `expected a version 0 program of 20 or 32 bytes, got ${data.length}`, found)
  const whole = { ...found, type, script_pubkey: bareHex(script) }
  if (type === 'p2tr' && !ecc.isXOnlyPoint(data)) {
    return fault('not-on-curve', 'its taproot key is no point of the curve: nobody could ever spend what is paid to it', whole)
  }
  return fine(whole)
}

function bech32Fault(text: string, error: string): Verdict {
  if (error.includes('wrong encoding')) {
    // the first data character is the witness version; `q` means 0
    return text.charAt(text.lastIndexOf('1') + 1) === 'q'
      ? fault('wrong-encoding', 'a version 0 address has a bech32 checksum, this one has bech32m', {
          encoding: 'bech32m',
          witness_version: 0,
        })
      : fault('wrong-encoding', 'addresses of version 1 and above have a bech32m checksum, this one has bech32', { encoding: 'bech32' })
  }
  if (/unknown character/i.test(error)) return fault('bad-characters', 'it has a character that bech32 does not have')
  if (/too short|padding|data too/i.test(error)) return fault('bad-length', 'its data is no whole number of bytes')
  return fault('bad-checksum', 'its checksum is wrong: a character was lost or changed')
}

function isSomeBech32(text: string): boolean {
  const decoded = attempt(() => codec.fromBech32(text.toLowerCase()))
  return typeof decoded !== 'string' || decoded.includes('wrong encoding')
}

function attempt<T>(decode: () => T): T | string {
  try {
    return decode()
  } catch (error) {
    return messageOf(error)
  }
}

function fine(found: Found): Verdict {
  return { ...found, reason: null, message: '' }
}

function fault(reason: Fault, message: string, found: Partial<Found> = {}): Verdict {
  return { ...UNKNOWN, ...found, reason, message }
}
