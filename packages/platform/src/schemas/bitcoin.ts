/** Hashes use Bitcoin's display (reversed) byte order. */

import { z } from 'zod'
import { EXAMPLES } from './examples.ts'
import { optional } from './fields/optional.ts'

export const MAX_RAW_TX_BYTES = 400_000
export const BITCOIN_NETWORKS = ['mainnet', 'testnet', 'signet', 'regtest'] as const
export const BitcoinNetwork = z.enum(BITCOIN_NETWORKS)
export type BitcoinNetwork = z.infer<typeof BitcoinNetwork>

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const HexText = z.string().regex(/^([0-9a-f]{2})*$/)

export const BitcoinBlock = z
  .object({
    height: z.int(),
    hash: Hash,
    previous_hash: Hash.nullable(),
    merkle_root: Hash,
    version: z.int(),
    timestamp: z.iso.datetime(),
    median_time: z.iso.datetime().nullable(),
    nonce: z.int(),
    bits: z.int(),
    difficulty: z.number(),
    tx_count: z.int(),
    size: z.int(),
    weight: z.int(),
    source: z.string().describe('Source of the data'),
  })
  .meta({ id: 'BitcoinBlock' })
export type BitcoinBlock = z.infer<typeof BitcoinBlock>

export const DecodeTxRequest = z
  .object({
    raw_tx: z
      .string()
      .min(1)
      .max(2 * MAX_RAW_TX_BYTES)
      .meta({ description: 'Serialized transaction, hex', pattern: '^(0x)?([0-9a-fA-F]{2})+$' }),
    network: optional(BitcoinNetwork).describe('Network of the output addresses. Default: mainnet'),
  })
  .meta({ id: 'DecodeTxRequest', example: EXAMPLES.decodeTx })
export type DecodeTxRequest = z.infer<typeof DecodeTxRequest>

export const SCRIPT_TYPES = [
  'p2pk',
  'p2pkh',
  'p2sh',
  'p2wpkh',
  'p2wsh',
  'p2tr',
  'p2a',
  'multisig',
  'op_return',
  'witness_unknown',
  'nonstandard',
] as const
export const ScriptType = z.enum(SCRIPT_TYPES)
export type ScriptType = z.infer<typeof ScriptType>

const Script = z.object({
  hex: HexText,
  asm: z.string().nullable().describe('Null for scripts that are too long or do not parse'),
})

export const DecodedTx = z
  .object({
    txid: Hash,
    wtxid: Hash,
    version: z.int(),
    locktime: z.int(),
    segwit: z.boolean(),
    coinbase: z.boolean(),
    replaceable: z.boolean().describe('Signals BIP 125'),
    size: z.int(),
    virtual_size: z.int(),
    weight: z.int(),
    inputs: z.array(
      z.object({
        txid: Hash.nullable().describe('Null for a coinbase'),
        vout: z.int().nullable(),
        script_sig: Script,
        sequence: z.int(),
        witness: z.array(HexText),
      }),
    ),
    outputs: z.array(
      z.object({
        n: z.int(),
        value_sats: z.string(),
        value_btc: z.string(),
        script_pubkey: Script,
        type: ScriptType,
        address: z.string().nullable(),
      }),
    ),
    total_output_sats: z.string(),
  })
  .meta({ id: 'DecodedTx' })
export type DecodedTx = z.infer<typeof DecodedTx>

export const ValidateAddressRequest = z
  .object({
    address: z.string().min(1).max(200).meta({ example: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }),
    network: optional(BitcoinNetwork).describe('Required network. Default: any'),
  })
  .meta({ id: 'ValidateAddressRequest', example: EXAMPLES.validateAddress })
export type ValidateAddressRequest = z.infer<typeof ValidateAddressRequest>

export const ADDRESS_FAULTS = [
  'unknown-format',
  'bad-characters',
  'mixed-case',
  'bad-checksum',
  'wrong-encoding',
  'bad-length',
  'bad-version',
  'unknown-network',
  'other-network',
  'not-on-curve',
] as const

export const AddressValidation = z
  .object({
    address: z.string(),
    valid: z.boolean(),
    type: ScriptType.nullable(),
    networks: z.array(BitcoinNetwork).describe('Networks with this address format; testnet and signet share one'),
    encoding: z.enum(['base58check', 'bech32', 'bech32m']).nullable(),
    witness_version: z.int().nullable(),
    program: HexText.nullable().describe('Hash or witness program'),
    script_pubkey: HexText.nullable(),
    reason: z.enum(ADDRESS_FAULTS).nullable(),
    message: z.string().describe('Explains reason; empty for a valid address'),
  })
  .meta({ id: 'AddressValidation' })
export type AddressValidation = z.infer<typeof AddressValidation>
