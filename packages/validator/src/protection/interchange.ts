/**
 * EIP-3076 with the Staking contract's chain instead of a genesis validators root, and attestation epochs (schema in
 * packages/validator/README.md).
 */
import type { Address, Hash } from '@keelson/primitives'
import { messageOf, parseAddress, parseHash, parseJsonArray, parseJsonObject, parseOptional } from '@keelson/primitives'
import { ValidatorError } from '../errors.ts'
import type { ProtectedChain } from './protected-chain.ts'

export interface InterchangeAttestation {
  readonly epoch: number
  readonly signingRoot: Hash | null
}

export interface InterchangeKey {
  readonly key: Address
  readonly watermark: number | null
  readonly attestations: readonly InterchangeAttestation[]
}

export interface Interchange {
  /** Null when no key has signed. */
  readonly chain: ProtectedChain | null
  readonly keys: readonly InterchangeKey[]
}

const FORMAT_VERSION = '1'
export const MAX_INTERCHANGE_BYTES = 64 * 1024 * 1024
const MAX_KEYS = 10_000
const MAX_ATTESTATIONS_OF_KEY = 1_000_000

export function renderInterchange({ chain, keys }: Interchange): string {
  const document = {
    metadata: {
      interchange_format_version: FORMAT_VERSION,
      staking_chain:
        chain === null ? null : { chain_id: chain.chainId.toString(), verifying_contract: chain.contract, anchor: chain.anchor },
    },
    data: keys.map(({ key, watermark, attestations }) => ({
      address: key,
      ...(watermark === null ? {} : { watermark_epoch: String(watermark) }),
      signed_blocks: [],
      signed_attestations: attestations.map(({ epoch, signingRoot }) => ({
        epoch: String(epoch),
        ...(signingRoot === null ? {} : { signing_root: signingRoot }),
      })),
    })),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Throws ValidatorError `consensus/protection-import`. */
export function parseInterchange(text: string): Interchange {
  if (text.length > MAX_INTERCHANGE_BYTES) throw unusable(`it is larger than ${MAX_INTERCHANGE_BYTES} bytes`)
  try {
    const { metadata, data } = parseJsonObject(JSON.parse(text), 'the file')
    const {
      interchange_format_version: version,
      staking_chain: chain,
      genesis_validators_root: beacon,
    } = parseJsonObject(metadata, 'metadata')
    if (beacon !== undefined) throw unusable('it is of a beacon chain (it has a genesis_validators_root)')
    if (version !== FORMAT_VERSION) {
      throw unusable(`metadata.interchange_format_version: expected "${FORMAT_VERSION}", got ${JSON.stringify(version)?.slice(0, 40)}`)
    }
    if (Array.isArray(data) && data.length > MAX_KEYS) throw unusable(`it has ${data.length} keys, more than ${MAX_KEYS}`)
    const parsed = {
      chain: parseOptional(chain, 'metadata.staking_chain', parseChain),
      keys: parseJsonArray(data, 'data', (entry, what) => parseKey(entry, what)),
    }
    if (parsed.chain === null && parsed.keys.some(({ attestations }) => attestations.length > 0)) {
      throw unusable('it has attestations but does not say of which chain (metadata.staking_chain)')
    }
    return parsed
  } catch (error) {
    if (error instanceof ValidatorError) throw error
    throw unusable(messageOf(error), error)
  }
}

function parseChain(value: unknown, what: string): ProtectedChain {
  const { chain_id: chainId, verifying_contract: contract, anchor } = parseJsonObject(value, what)
  if (typeof chainId !== 'string' || !/^\d{1,78}$/.test(chainId)) throw unusable(`${what}.chain_id: expected a number in quotes`)
  return {
    chainId: BigInt(chainId),
    contract: parseAddress(contract, `${what}.verifying_contract`),
    anchor: parseHash(anchor, `${what}.anchor`),
  }
}

function parseKey(value: unknown, what: string): InterchangeKey {
  const {
    address,
    watermark_epoch: watermark,
    signed_attestations: attestations,
    signed_blocks: blocks = [],
  } = parseJsonObject(value, what)
  if (!Array.isArray(blocks) || blocks.length > 0) {
    throw unusable(`${what}.signed_blocks: expected none, since this store protects keys that attest, not block keys`)
  }
  if (Array.isArray(attestations) && attestations.length > MAX_ATTESTATIONS_OF_KEY) {
    throw unusable(`${what}.signed_attestations has more than ${MAX_ATTESTATIONS_OF_KEY} entries`)
  }
  return {
    key: parseAddress(address, `${what}.address`),
    watermark: parseOptional(watermark, `${what}.watermark_epoch`, parseEpoch),
    attestations: parseJsonArray(attestations, `${what}.signed_attestations`, (entry, where) => {
      const { epoch, signing_root: root } = parseJsonObject(entry, where)
      return { epoch: parseEpoch(epoch, `${where}.epoch`), signingRoot: parseOptional(root, `${where}.signing_root`, parseHash) }
    }),
  }
}

function parseEpoch(value: unknown, what: string): number {
  const epoch = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
  if (Number.isSafeInteger(epoch)) return epoch
  throw unusable(`${what}: expected an epoch in quotes, got ${String(JSON.stringify(value)).slice(0, 40)}`)
}

function unusable(why: string, cause?: unknown): ValidatorError {
  return new ValidatorError(
    'consensus/protection-import',
    'critical',
    `this slashing protection file cannot be used: ${why}; export it again where the keys were last used, nothing was changed`,
    {},
    { cause },
  )
}
